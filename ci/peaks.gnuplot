# The peak map as two pictures: predicted at every number of warps, measured at those that were. The colours keep their order
# for the colour-blind; grey letters on no background read on light and on dark pages.
set terminal svg size 860,640 font "sans-serif,12" name "peaks"
set output picture
grey = "#808080"
set border linecolor rgb grey
set tics textcolor rgb grey nomirror out scale 0.5
set title textcolor rgb grey
# viridis
set palette maxcolors 8 defined (1 "#440154", 2 "#46327e", 3 "#365c8d", 4 "#277f8e", 5 "#1fa187", 6 "#4ac16d", 7 "#a0da39", 8 "#fde725")
set cbrange [0.5:8.5]
set cbtics ("1" 1, "2" 2, "3" 3, "4" 4, "5" 5, "6" 6, "7" 7, "8 to 16" 8)
set cblabel "accumulators" textcolor rgb grey
set xrange [2.5:64.5]
set xtics (3, 8, 16, 24, 32, 40, 48, 56, 64)
set ylabel "warps on the SM" textcolor rgb grey
few(acc) = acc > 8 ? 8 : acc
set lmargin at screen 0.08
set rmargin at screen 0.86
set multiplot
set tmargin at screen 0.93
set bmargin at screen 0.46
set title "predicted"
set yrange [0.5:32.5]
set ytics (1, 4, 8, 12, 16, 20, 24, 28, 32)
plot work."/predicted.dat" using 1:2:(few($3)) with image pixels notitle
set tmargin at screen 0.36
set bmargin at screen 0.11
set title "measured on an H200 (x: the predicted peak is more than 1 % slower there)"
set xlabel "FFMAs in the chain" textcolor rgb grey
set yrange [0.5:8.5]
set ytics ("1" 1, "2" 2, "4" 3, "8" 4, "12" 5, "16" 6, "24" 7, "32" 8)
plot work."/measured.dat" using 1:2:(few($3)) with image pixels notitle, \
     work."/missed.dat" using 1:2 with points pointtype 2 pointsize 0.6 linewidth 1.5 linecolor rgb "#ff5050" notitle
unset multiplot
