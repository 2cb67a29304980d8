# ---- latency: the share of the requests that take at most so long
stats datafile using 1 nooutput name "X" # before any range is set, which would filter it
set title "Latency of requests, cumulative\n" . subtitle
set xlabel "latency (us)"
set ylabel "requests at or below (%)"
set yrange [0:102]
set key below height 1
if (X_max - X_min < 0.001) set xrange [X_min * 0.9:X_max * 1.1]
plot datafile index 0 using 1:2 with steps ls 1 title "completion: post or due time to CQE seen", \
     datafile index 1 using 1:2 with steps ls 2 title "delivery: post or due time to last byte in the peer's memory"
