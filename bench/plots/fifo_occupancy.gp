# ---- how full each FIFO became, fullest first: the high-water mark, and what 99.9 % of the time is not exceeded
stats datafile using 2 nooutput name "X"
set title "FIFO occupancy, share of the depth\n" . subtitle
set xlabel "share of the depth (%); beside the bars: the high water"
set key below height 1
set xrange [0:132]
set xtics 0,20,100
set yrange [X_records - 0.4:-0.6]
set ytics scale 0
set grid noytics
set style fill solid 0.8 border lc rgb "#000000"
plot datafile using ($2 / 2):1:(0):2:($1 - 0.38):($1 + 0.38):yticlabels(5) with boxxyerror fs empty border lc rgb "#000000" lc rgb "#000000" title "high water", \
     datafile using ($3 / 2):1:(0):3:($1 - 0.2):($1 + 0.2) with boxxyerror lc rgb "#56b4e9" title "p99.9 of the time", \
     datafile using 2:1:("  " . stringcolumn(4)) with labels left notitle
