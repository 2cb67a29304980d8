# ---- perftest -a: bandwidth of each message size
set title tool . ": bandwidth by message size\n" . subtitle
set xlabel "message (bytes)"
set ylabel "average bandwidth (" . rate_unit . ")"
set logscale x 2
set format x "%.0f"
set xtics rotate by -45
set yrange [0:*]
set key below height 1
plot datafile using 1:2 with linespoints ls 1 title "average"
