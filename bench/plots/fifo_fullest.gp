# ---- for how long the fullest FIFO held how much; the share is logarithmic, so that rare levels can be seen
stats datafile using 3 nooutput name "Y"
floor_share = 10 ** floor(log10(Y_min * 0.5))
set title "Occupancy of the fullest FIFO: " . fifo_name . "\n" . subtitle
set xlabel sprintf("occupancy (%s), depth %d", fifo_unit, fifo_depth)
set ylabel "share of the time (%, logarithmic)"
set logscale y
set yrange [floor_share:200]
set xrange [-0.7:fifo_high_water * 1.02 + 0.7]
if (fifo_high_water < 8) set xtics 1
set key below height 1
set style fill solid 0.6 border lc rgb "#000000"
set arrow from fifo_high_water, graph 0 to fifo_high_water, graph 1 nohead ls 3
plot datafile using (($1 + $2) / 2):3:($1 - 0.4):($2 + 0.4):(floor_share):3 with boxxyerror lc rgb "#0072b2" title "share of the time", \
     NaN with lines ls 3 title sprintf("high water: %d", fifo_high_water)
