# ---- latency against offered load: the knee is the first load whose p99 is above twice that of the lightest
stats datafile using 2 nooutput name "P"
set title "Latency against load\n" . subtitle
set xlabel "offered load: payload in % of the line's rate"
set ylabel "latency from due to completed (us, logarithmic)"
set logscale y
set key below height 1
if (knee > 0) {
    set arrow from knee, graph 0 to knee, graph 1 nohead ls 3
    set label sprintf(" knee: %g %%", knee) at knee, graph 0.95 left
}
plot datafile using 1:2 with linespoints ls 1 title "p50", \
     datafile using 1:3 with linespoints ls 2 title "p99", \
     datafile using 1:4 with linespoints lc rgb "#009e73" lw 2.5 dt (4,4) pt 5 ps 0.6 title "p99.9"
