# ---- the first requests, stage by stage: each bar is one stage of one request
stats datafile using 1 nooutput name "R"
stats datafile using 3 nooutput name "X"
array part[5] = ["host: queue, WQE, doorbell", "NIC: schedule, read, build, send", "line", "peer: judge, write", "back: ACK, retire, CQE, poll"]
array colour[5] = ["#e69f00", "#0072b2", "#000000", "#009e73", "#cc79a7"]
array pattern[5] = [1, 3, 2, 4, 5]
set title "The first requests, stage by stage\n" . subtitle
set xlabel "time since the first of them was due (us)"
set xrange [0:X_max * 1.02]
set yrange [R_max + 0.6:-0.6]
set ytics scale 0
set grid noytics
set key below height 1 maxcols 3
plot for [p = 0:4] datafile using (($4 == p) ? ($2 + $3) / 2 : NaN):1:2:3:($1 - 0.38):($1 + 0.38):yticlabels(6) with boxxyerror fs pattern pattern[p + 1] border lc rgb colour[p + 1] lc rgb colour[p + 1] title part[p + 1]
