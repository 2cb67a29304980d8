# ---- PCIe: what share of each link's time the TLPs of each kind take, stacked
stats datafile using 2 nooutput name "Y"
array colour[8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000"]
kinds = Y_columns - 1
set title "PCIe links by kind of TLP\n" . subtitle
set ylabel "share of the link's time (%)"
set yrange [0:105]
set style data histograms
set style histogram rowstacked
set boxwidth 0.6
set grid noxtics
set key below height 1 maxcols 4
plot for [k = 1:kinds] datafile using (column(k + 1)):xtic(1) fs pattern k border lc rgb colour[k] lc rgb colour[k] title columnheader(k + 1)
