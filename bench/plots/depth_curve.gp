# ---- what the depth of one FIFO does, the others as proposed: goodput, back-pressure and drops; the line marks the chosen depth
stats datafile using 2 nooutput name "D"
stats datafile using 3 nooutput name "B"
stats datafile using 1 nooutput name "X"
set title "Depth of " . fifo_name . ", the other FIFOs as proposed\n" . subtitle
set xlabel "depth (" . fifo_unit . ", logarithmic)"
set ylabel "goodput (Gb/s)"
set y2label D_max > 0 ? "dropped frames; back-pressure (us)" : "back-pressure that it makes (us)"
set logscale x 2
set xrange [X_min / 1.2:X_max * 1.2]
set yrange [0:*]
set y2range [0:(B_max > D_max ? B_max : D_max) > 0 ? (B_max > D_max ? B_max : D_max) * 1.1 : 1]
set ytics nomirror
set y2tics
set key below height 1
set arrow from chosen, graph 0 to chosen, graph 1 nohead ls 3
set label sprintf(" chosen: %d ", chosen) at chosen, graph 0.06 right
plot datafile using 1:4 with linespoints ls 1 title "goodput", \
     datafile using 1:3 axes x1y2 with linespoints ls 2 title "back-pressure", \
     datafile using 1:(D_max > 0 ? $2 : NaN) axes x1y2 with linespoints lc rgb "#009e73" lw 2.5 dt (4,4) pt 5 ps 0.6 title D_max > 0 ? "dropped frames" : ""
