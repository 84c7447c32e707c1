#!/bin/sh
# Makes the completion of a program for bash of what its --help says, which is made of its tables of commands, options and
# settings:  completion.sh PROGRAM [EMULATOR]
set -eu
name=$(basename "$1")
program=$1
emulator=${2:-}

run() { ${emulator:+"$emulator"} "$program" "$@"; }

# Lines "COMMAND<tab>OPTION" of every command, with an empty option for the command itself; options of all have no command.
words_of_help() {
	run --help | awk '
		/^[a-z].*:$/ || /^settings,/ { section = $1 }
		/^  [a-z]/ && section ~ /^settings/ { option = $1; gsub("_", "-", option); print "\t--" option; next }
		/^  [a-z]/ { command = ""; for (i = 1; i <= NF && $i ~ /^[a-z]+$/ && (i == 1 || section != ""); i++)
			command = command (i > 1 ? " " : "") $i
			print command "\t"; next }
		/^  +-/ { line = $0
			while (match(line, /--[a-z][a-z-]*/)) {
				if (line !~ /^ +-/ && substr(line, 1, RSTART - 1) ~ /[a-z.] /) break
				print (/^    / ? command : "") "\t" substr(line, RSTART, RLENGTH)
				line = substr(line, RSTART + RLENGTH)
				if (line !~ /^, -/) break
			} }'
}

# A program of commands of one word tells the options of each by itself.
words() {
	words_of_help
	run --help | grep -q '^commands:' || words_of_help | cut -f1 | sort -u | while read -r command; do
		[ -z "$command" ] || run "$command" --help | grep -oE '^ {2,6}(-[a-z], )?--[a-z][a-z-]*' |
			grep -oE -- '--[a-z-]+' | sed "s/^/$command\t/"
	done
}

words | awk -F'\t' -v name="$name" '
	$2 != "" && !seen[$1, $2]++ { options[$1] = options[$1] " " $2 }
	$1 != "" && !($1 in known) { known[$1]; order[++count] = $1
		n = split($1, part, " "); before = ""
		for (i = 1; i <= n; i++) {
			if (!((before, part[i]) in next_known)) { next_known[before, part[i]]; follow[before] = follow[before] " " part[i] }
			if (!(before in group_known)) { group_known[before]; groups[++group_count] = before }
			before = before (before == "" ? "" : " ") part[i]
		} }
	END {
		f = "_" name; gsub("-", "_", f)
		print "# Completion of " name " for bash, made of " name " --help."
		print f "() {"
		print "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=\"${COMP_WORDS[*]:1:COMP_CWORD-1}\" words=\"" substr(options[""], 2) " --help --version\""
		print "\tcase \"$before\" in"
		for (i = count; i > 0; i--)
			if (options[order[i]] != "") print "\t\"" order[i] "\" | \"" order[i] " \"*) words+=\"" options[order[i]] "\" ;;"
		print "\tesac"
		print "\tcase \"$before\" in"
		for (i = 1; i <= group_count; i++) print "\t\"" groups[i] "\") words+=\"" follow[groups[i]] "\" ;;"
		print "\tesac"
		print "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")"
		print "\t[ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default"
		print "}"
		print "complete -F " f " " name
	}'
