# Makes C of SQL: every "-- name: x" section of the given files becomes a constant STMT_x, and all
# together the list <title>_sql_statements.
#
#	awk -v header=store_sql.h -v title=store -f embed_sql.awk run.sql tail.sql > store_sql.c
#
# Lines that several statements of a file share appear once, before them, in a section "-- part: x"; a line
# "-- use: x" inserts them, in statements and in later parts. Only whole lines can be shared.
#
# A line "-- ahead: x" in a statement puts it on the list <title>_sql_ahead_x as well, in the order of the files.
#
# Comments are left out, for they would travel with every statement. Quotes, quoted names, dollar
# quotes and nested comments are known, so that a "--" inside a text stays. Text before the first
# name, an empty section, a name used twice, a part that is not there or that nobody uses, and an open quote
# at the end of a section are errors.

function fail(message)
{
	printf "%s:%d: %s\n", FILENAME, FNR, message > "/dev/stderr"
	failed = 1
	exit 1
}

# The word behind the colon.
function word_of(line)
{
	sub(/^[ \t]*-- [a-z]+:[ \t]*/, "", line)
	sub(/[ \t]*$/, "", line)
	return line
}

function begin_section(line, kind)
{
	end_section()
	name = word_of(line)
	is_part = kind == "part"
	if (name !~ /^[a-z][a-z0-9_]*$/ || length(name) > 60)
		fail("a name is up to 60 of a-z, 0-9 and _: \"" name "\"")
	if (name in seen)
		fail("the name \"" name "\" is used twice")
	seen[name] = 1
}

function note_ahead(line,    user)
{
	user = word_of(line)
	if (is_part || user !~ /^[a-z]+$/)
		fail("a statement is ahead for one word of a-z")
	ahead[user] = ahead[user] "\t&STMT_" name ",\n"
}

function end_part()
{
	parts[name] = text
	unused[name] = 1
	name = ""
	text = ""
}

function use_part(line,    wanted)
{
	wanted = word_of(line)
	if (!(wanted in parts))
		fail("there is no part \"" wanted "\" before this")
	delete unused[wanted]
	text = text (text == "" ? "" : "\n") parts[wanted]
}

function end_file(    part)
{
	end_section()
	for (part in unused)
		fail("nobody uses the part \"" part "\"")
	split("", parts)
}

function end_section()
{
	if (quote != "" || comment)
		fail("\"" name "\" ends inside a quote or comment")
	if (name == "")
		return
	if (text == "")
		fail("\"" name "\" is empty")
	if (is_part) {
		end_part()
		return
	}
	printf "\nconst struct db_stmt STMT_%s = {\n\t\"%s\",\n%s,\n};\n", name, name, text
	printf "extern const struct db_stmt STMT_%s;\n", name > header
	list = list "\t&STMT_" name ",\n"
	name = ""
	text = ""
}

# Inside a quote: takes what belongs to it from rest, up to its end if that is on this line.
function take_quoted(    at)
{
	at = index(rest, quote)
	if (!at) {
		kept = kept rest
		rest = ""
		return
	}
	kept = kept substr(rest, 1, at + length(quote) - 1)
	rest = substr(rest, at + length(quote))
	quote = ""
}

function skip_comment(    at)
{
	at = match(rest, /\/\*|\*\//)
	if (!at) {
		rest = ""
		return
	}
	comment += substr(rest, at, 2) == "/*" ? 1 : -1
	rest = substr(rest, at + 2)
	if (!comment)
		kept = kept " "
}

# Outside: takes text up to the next thing that opens a quote or a comment.
function take_plain(    at, opener)
{
	at = match(rest, /--|\/\*|'|"|\$([A-Za-z_][A-Za-z_0-9]*)?\$/)
	if (!at) {
		kept = kept rest
		rest = ""
		return
	}
	opener = substr(rest, at, RLENGTH)
	kept = kept substr(rest, 1, at - 1)
	rest = substr(rest, at + RLENGTH)
	if (opener == "--") {
		rest = ""
	} else if (opener == "/*") {
		comment = 1
	} else {
		kept = kept opener
		quote = opener
	}
}

# Leaves the line without its comments in `kept`.
function strip(line)
{
	rest = line
	kept = ""
	while (rest != "") {
		if (quote != "")
			take_quoted()
		else if (comment)
			skip_comment()
		else
			take_plain()
	}
	if (quote == "")
		sub(/[ \t]+$/, "", kept)
}

BEGIN {
	guard = toupper(title) "_SQL_H"
	printf "#ifndef %s\n#define %s\n\n#include <stddef.h>\n\n#include \"db.h\"\n\n", guard, guard > header
	printf "#include \"%s_sql.h\"\n", title
}

FNR == 1 { end_file() }

/^-- name:/ && quote == "" && !comment { begin_section($0, "name"); next }
/^-- part:/ && quote == "" && !comment { begin_section($0, "part"); next }
/^-- ahead:/ && quote == "" && !comment && name != "" { note_ahead($0); next }
/^[ \t]*-- use:/ && quote == "" && !comment && name != "" { use_part($0); next }

{
	was_open = quote != ""
	strip($0)
	if (kept ~ /^[ \t]*$/ && !was_open && quote == "")
		next
	if (name == "")
		fail("text before the first \"-- name:\"")
	gsub(/[\\"]/, "\\\\&", kept)
	text = text (text == "" ? "" : "\n") "\t\"" kept "\\n\""
}

END {
	if (failed)
		exit 1
	end_file()
	printf "\nconst struct db_stmt *const %s_sql_statements[] = {\n%s\tNULL,\n};\n", title, list
	printf "\n/* All of them, up to a NULL. */\n" > header
	printf "extern const struct db_stmt *const %s_sql_statements[];\n", title > header
	for (user in ahead) {
		printf "\nconst struct db_stmt *const %s_sql_ahead_%s[] = {\n%s\tNULL,\n};\n", title, user, ahead[user]
		printf "extern const struct db_stmt *const %s_sql_ahead_%s[];\n", title, user > header
	}
	printf "\n#endif\n" > header
}
