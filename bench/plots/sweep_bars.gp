# ---- a sweep: a metric for each value of an axis, a bar for each value of another; whiskers: 95 % confidence intervals over repeats
array colour[12] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#7f7f7f", "#800000", "#404080", "#006040", "#b0a000"]
width = 0.8 / curves
set title y_title . "\n" . subtitle
set xlabel x_title
set ylabel y_title
set key below height 1 maxcols 3
set xrange [-0.6:x_count - 0.4]
if (y_is_log) set logscale y; else set yrange [0:*]
if (x_count > 6) set xtics rotate by -30
set grid noxtics
set boxwidth width * 0.92 absolute
at(i) = (i - (curves + 1) / 2.0) * width
plot for [i = 1:curves] datafile index i - 1 using ($4 + at(i)):2 with boxes fill pattern i lc rgb colour[i] title curve[i], \
     datafile index 0 using 4:(NaN):xticlabels(5) with points notitle, \
     for [i = 1:curves] datafile index i - 1 using ($4 + at(i)):(has_interval ? $2 : NaN):3 with yerrorbars lc rgb "#000000" lw 1.2 pt 0 notitle
