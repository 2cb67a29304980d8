# ---- a sweep: a metric over two axes; dark is low, in colour and in grey alike; an empty cell is unknown
stats datafile using 1 nooutput name "X"
stats datafile using 2 nooutput name "Y"
stats datafile using 3 nooutput name "Z"
set title y_title . "\n" . subtitle
set xlabel x_title
set ylabel by_title
set palette defined (0 "#352a55", 0.25 "#2f5d8c", 0.5 "#2a9187", 0.75 "#8cc665", 1 "#fbe76a")
set cblabel y_title
set xrange [-0.5:X_max + 0.5]
set yrange [-0.5:Y_max + 0.5]
if (Z_max > Z_min) { set cbrange [Z_min:Z_max] } else { set cbrange [Z_min - 1:Z_max + 1] }
set grid noxtics noytics
unset key
if (X_max > 7) set xtics rotate by -45
middle = (Z_min + Z_max) / 2
is_small = (X_max + 1) * (Y_max + 1) <= 144 && X_max < 12
plot datafile using 1:2:3:xticlabels(5):yticlabels(6) with image pixels, \
     datafile using 1:2:(is_small ? sprintf("%.4g", $3) : ""):($3 > middle ? 0x000000 : 0xffffff) with labels textcolor rgb variable notitle
