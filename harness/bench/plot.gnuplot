# SPDX-License-Identifier: GPL-2.0-or-later
set terminal svg size {width},{height} dynamic font "DejaVu Sans,Liberation Sans,sans-serif,13" background "#ffffff"
set output {output}
set title "Static-key tracepoints: this kernel relative to the stock mechanism" offset 0,0.6 font ",15"
set lmargin at screen {left}
set rmargin at screen {right}
set tmargin at screen {top}
set bmargin at screen {bottom}
set border 1 lc rgb "#606060"
set logscale x
set xrange [{low}:{high}]
set yrange [{last}:-0.6]
set xlabel "this kernel / stock, logarithmic: left of 1 is cheaper"
set xtics nomirror tc rgb "#303030" ({xtics})
set grid xtics lc rgb "#e0e0e0" lt 1
unset ytics
unset key
set arrow from 1,graph 0 to 1,graph 1 nohead lc rgb "#404040" lw 1.5 front
$rows << EOD
{data}
EOD
{labels}
plot $rows using 2:1:(1 < $2 ? 1 : $2):(1 < $2 ? $2 : 1):($1 - 0.3):($1 + 0.3):3 \
	with boxxyerror fs solid 0.85 noborder lc rgb variable, \
	$rows using 2:1:3 with points pt 7 ps 0.6 lc rgb variable
