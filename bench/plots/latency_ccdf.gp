# ---- latency: the share of the requests that take at least so long; log-log, so that the tail can be seen
set title "Tail of the latency of requests\n" . subtitle
set xlabel "latency (us, logarithmic)"
set ylabel "share of requests that take at least so long (logarithmic)"
set logscale xy
set format y "10^{%L}"
set format y "%.0e"
set yrange [:1.5]
set key bottom left
stats datafile using 1 nooutput name "X"
set xrange [X_min * 0.95:X_max * 1.05]
plot datafile index 0 using 1:3 with linespoints ls 1 pi -40 title "completion: post to CQE seen", \
     datafile index 1 using 1:3 with linespoints ls 2 pi -40 title "delivery: post to last byte in the peer's memory"
