# ---- perftest -a: latency of each message size
set title tool . ": latency by message size\n" . subtitle
set xlabel "message (bytes)"
set ylabel "latency (" . latency_unit . ")"
set logscale x 2
set logscale y 10
set format x "%.0f"
set xtics rotate by -45
set key below height 1
plot datafile using 1:3 with linespoints ls 1 title "t_typical", \
     datafile using 1:5 with linespoints ls 2 title "99.9 %"
