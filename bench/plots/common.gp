
# ---- common: the terminal, and line styles that differ in colour (Okabe and Ito's, for the colour-blind) and in dash
if (!exists("fmt")) fmt = "svg"
if (!exists("height")) height = 560
if (fmt eq "png") {
    set terminal pngcairo size 960,height font "Sans,12" background "#ffffff" noenhanced
} else { if (fmt eq "pdf") {
    set terminal pdfcairo size 10in,(height / 96.0) font "Sans,12" background "#ffffff" noenhanced
} else {
    set terminal svg size 960,height font "sans-serif,14" background "#ffffff" noenhanced
} }
set output out_file . "." . fmt
set datafile commentschars "#"
set grid xtics ytics lt 1 lw 0.5 lc rgb "#c0c0c0"
set border lw 1
set tics nomirror out
set style line 1 lc rgb "#0072b2" lw 2.5 dt 1 pt 7 ps 0.6
set style line 2 lc rgb "#d55e00" lw 2.5 dt (12,6) pt 9 ps 0.7
set style line 3 lc rgb "#000000" lw 1.5 dt (4,4)

