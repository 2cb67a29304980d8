# ---- a sweep: a metric against an axis, a curve for each value of another; bars: 95 % confidence intervals over repeats
array colour[12] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#7f7f7f", "#800000", "#404080", "#006040", "#b0a000"]
array symbol[12] = [7, 9, 5, 13, 2, 11, 6, 8, 4, 12, 1, 3]
stats datafile using 1 nooutput name "X" # before any range is set, which would filter it
set title y_title . "\n" . subtitle
set xlabel x_title
set ylabel y_title
set key below height 1 maxcols 3
if (x_is_log) { set logscale x; set xrange [X_min / 1.2:X_max * 1.2] }
if (y_is_log) set logscale y; else set yrange [0:*]
if (!x_is_numeric) set xrange [-0.5:x_count - 0.5]
if (x_is_log) set xtics rotate by -45
if (!x_is_numeric && x_count > 6) set xtics rotate by -30
if (x_is_numeric && !x_is_log) set offsets graph 0.03, graph 0.03, 0, 0
dash(i) = (i - 1) % 4 + 1
has_words = !x_is_numeric || x_is_log
plot for [i = 1:curves] datafile index i - 1 using 1:(has_interval ? $2 : NaN):3 with yerrorbars lc rgb colour[i] lw 1.5 pt 0 notitle, \
     for [i = 1:curves] datafile index i - 1 using 1:2 with linespoints lc rgb colour[i] lw 2 dt dash(i) pt symbol[i] ps 0.9 title curve[i], \
     for [i = 1:has_words] datafile index 0 using 1:(NaN):xticlabels(5) with points notitle
