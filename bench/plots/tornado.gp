# ---- tornado: what 20 % less (light) and 20 % more (dark) of each parameter does to the target, the largest effect on top
stats datafile using 2 nooutput name "L"
stats datafile using 3 nooutput name "H"
biggest = abs(L_min) > abs(L_max) ? abs(L_min) : abs(L_max)
biggest = abs(H_min) > biggest ? abs(H_min) : biggest
biggest = abs(H_max) > biggest ? abs(H_max) : biggest
set title "What 20 % of each parameter does to " . target . sprintf(" = %.6g ", target_value) . unit . "\n" . subtitle
set xlabel "change of " . target . " (%)"
set xrange [-1.15 * biggest:1.15 * biggest]
set yrange [L_records - 0.4:-0.6]
set ytics scale 0
set grid noytics
set xtics rotate by -45
set key below height 1
set style fill solid 0.9 border lc rgb "#000000"
set arrow from 0, graph 0 to 0, graph 1 nohead lw 1 lc rgb "#000000"
plot datafile using ($2 / 2):1:($2 < 0 ? $2 : 0):($2 < 0 ? 0 : $2):($1 - 0.38):($1):yticlabels(4) with boxxyerror lc rgb "#f0c9a0" title "20 % less", \
     datafile using ($3 / 2):1:($3 < 0 ? $3 : 0):($3 < 0 ? 0 : $3):($1):($1 + 0.38) with boxxyerror lc rgb "#0072b2" title "20 % more"
