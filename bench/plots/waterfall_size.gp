# ---- perftest -a: where the mean completion latency goes, for each message size, stacked in the order of the way
array part[5] = ["host: queue, WQE, doorbell", "NIC: schedule, read, build, send", "line", "peer: judge, write", "back: ACK, retire, CQE, poll"]
array colour[5] = ["#e69f00", "#0072b2", "#000000", "#009e73", "#cc79a7"]
array pattern[5] = [1, 3, 2, 4, 5]
set title tool . ": where the mean completion latency goes, by message size\n" . subtitle
set xlabel "message (bytes), and its mean latency"
set ylabel "share of the mean (%)"
set rmargin 16
set yrange [0:100]
set style data histograms
set style histogram rowstacked
set boxwidth 0.75
set grid noxtics
set xtics rotate by -45
set key autotitle columnheader below height 1 maxcols 3
plot for [p = 1:5] datafile using (100 * column(p + 1) / ($2 + $3 + $4 + $5 + $6)):xtic(sprintf("%s (%.1f us)", stringcolumn(1), ($2 + $3 + $4 + $5 + $6) / 1000)) fs pattern pattern[p] border lc rgb colour[p] lc rgb colour[p] title part[p]
