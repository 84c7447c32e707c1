# Puts the tables of docs/metrics.md into the manual page, before its exit status.
#
#   awk -f metrics_man.awk docs/metrics.md page > page-with-metrics

function roff(text) {
	gsub(/`/, "", text)
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/−|–/, "\\-", text)
	gsub(/×/, "x", text)
	gsub(/°/, "\\(de", text)
	gsub(/^ +| +$/, "", text)
	return text
}

FNR == 1 { file++ }

file == 1 && /^## When rows are taken/ { done = 1 }
file == 1 && !done && /^## / { metrics = metrics ".SS " substr($0, 4) "\n" }
file == 1 && !done && /^\| `/ {
	split($0, cells, "|")
	metrics = metrics ".TP\n\\fB" roff(cells[2]) "\\fR\n" roff(cells[3]) "; " roff(cells[4]) ".\n"
}

file == 2 && /^\.SH EXIT STATUS/ { printf ".SH METRICS\n%s", metrics }
file == 2 { print }
