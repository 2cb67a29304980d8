# ---- latency: the share of the requests that take at least so long; log-log, so that the tail can be seen (linear where the range is narrow)
stats datafile using 1 nooutput name "X" # before any range is set, which would filter it
stats datafile using 3 nooutput name "Y"
set title "Tail of the latency of requests\n" . subtitle
set xlabel X_max > 3 * X_min ? "latency (us, logarithmic)" : "latency (us)"
set ylabel "share that takes at least so long (logarithmic)"
set logscale y
set format y "%.0e"
set xrange [X_min * 0.95:X_max * 1.05]
set yrange [10 ** floor(log10(Y_min)):1.5]
if (X_max > 3 * X_min) {
    set logscale x
    set xtics ()
    do for [e = floor(log10(X_min)):ceil(log10(X_max))] {
        do for [m in "1 2 5"] { set xtics add (sprintf("%g", m * 10.0 ** e) m * 10.0 ** e) }
    }
}
set key below height 1
plot datafile index 0 using 1:3 with fsteps ls 1 title "completion: post or due time to CQE seen", \
     datafile index 1 using 1:3 with fsteps ls 2 title "delivery: post or due time to last byte in the peer's memory"
