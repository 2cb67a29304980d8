# ---- waterfall: where the mean completion latency goes, from the post or due time (left) to the poll that sees the CQE (right)
stats datafile using ($2 + $3) nooutput name "X"
set title "Where the mean completion latency goes\n" . subtitle
set xlabel "time since the post or due time, mean (ns)"
unset key
set xrange [0:X_max * 1.18]
set yrange [X_records - 0.4:-0.6] # the first row on top
set ytics scale 0
set grid noytics
set style fill solid 0.6 border lc rgb "#000000"
plot datafile using ($2 + $3 / 2):1:2:($2 + $3):($1 - 0.35):($1 + 0.35):yticlabels(5) with boxxyerror lc rgb "#0072b2", \
     datafile using ($2 + $3):1:(sprintf("  %.1f ns", $3)) with labels left
