# ---- what the fullest FIFO held around the instant at which it was fullest: reserved space, every change of it
set title "The fullest FIFO around its high water: " . fifo_name . "\n" . subtitle
set xlabel "time from the high water (us)"
set ylabel "occupancy (" . fifo_unit . ")"
set yrange [0:fifo_high_water * 1.1 + 0.5]
set key below height 1
plot datafile using 1:2 with steps ls 1 title "occupancy", \
     fifo_high_water with lines ls 3 title sprintf("high water: %d of %d", fifo_high_water, fifo_depth)
