# ---- perftest -a: message rate of each message size
set title tool . ": message rate by message size\n" . subtitle
set xlabel "message (bytes)"
set ylabel "M messages/s"
set logscale x 2
set logscale y 10
set format x "%.0f"
set xtics rotate by -45
set key below height 1
plot datafile using 1:3 with linespoints ls 1 title "message rate"
