# ---- how full each FIFO became, fullest first: the high-water mark, and what 99.9 % of the time is not exceeded
set title "FIFO occupancy, share of the depth\n" . subtitle
set xlabel "share of the depth (%)"
set key at graph 1, graph -0.14 right top horizontal
set bmargin 6
stats datafile using 2 nooutput name "X"
set xrange [0:125]
set xtics 0,20,100
set yrange [X_records - 0.4:-0.6]
set grid noytics
set style fill solid 0.8 border lc rgb "#000000"
plot datafile using ($2 / 2):1:(0):2:($1 - 0.38):($1 + 0.38):yticlabels(5) with boxxyerror fs empty border lc rgb "#000000" lw 1.5 title "high water", \
     datafile using ($3 / 2):1:(0):3:($1 - 0.2):($1 + 0.2) with boxxyerror lc rgb "#0072b2" title "p99.9 of the time", \
     datafile using 2:1:("  " . stringcolumn(4)) with labels left notitle
