#include "git.h"

#include <string.h>

#include "masked.h"

/* Neither locks nor a daemon, which could meet the command's own git; nothing is fetched. */
static const char script[] =
	"export GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 LC_ALL=C\n"
	"git config --get remote.origin.url | sed 's/^/remote /'\n"
	"exec git -c core.fsmonitor=false status --porcelain=v2 --branch --untracked-files=no "
	"--ignore-submodules=dirty\n";

void git_start(struct inquiry *inquiry, const sigset_t *mask)
{
	inquiry_start(inquiry, script, mask);
}

/* The rest of the line that begins with these words; false where there is none. */
static bool find_line(const char *told, const char *words, struct text *ret_rest)
{
	size_t length = strlen(words);

	for (; *told; told += strcspn(told, "\n"), told += *told == '\n') {
		if (strncmp(told, words, length) == 0) {
			text_add(ret_rest, told + length, strcspn(told + length, "\n"));
			return text_c_string(ret_rest) != NULL;
		}
	}
	return false;
}

/* A changed file is a line that begins with its kind. */
static bool has_changes(const char *told)
{
	for (; *told; told += strcspn(told, "\n"), told += *told == '\n') {
		if (strchr("12u", *told))
			return true;
	}
	return false;
}

/* Text in parentheses is not a name: "(initial)", "(detached)". */
static void write_line(const char *told, const char *words, const char *name, struct text *object)
{
	struct text rest = { 0 };

	if (find_line(told, words, &rest) && rest.data[0] && rest.data[0] != '(')
		text_json_member(object, name, rest.data);
	text_deinit(&rest);
}

static void write_remote(const char *told, struct text *object)
{
	struct text rest = { 0 }, masked = { 0 };

	if (find_line(told, "remote ", &rest) && rest.data[0])
		masked_remote(&masked, rest.data);
	if (masked.length && text_c_string(&masked))
		text_json_member(object, "remote", masked.data);
	text_deinit(&rest);
	text_deinit(&masked);
}

void git_write(const struct inquiry *git, struct text *object)
{
	struct text told = { 0 }, member = { 0 };

	text_add(&told, git->told.data ? git->told.data : "", git->told.length);
	if (text_c_string(&told) && strstr(told.data, "# branch.oid ")) {
		text_str(&member, "{");
		write_remote(told.data, &member);
		write_line(told.data, "# branch.oid ", "commit", &member);
		write_line(told.data, "# branch.head ", "branch", &member);
		if (git->is_whole || has_changes(told.data))
			text_format(&member, "%s\"dirty\":%s", member.length > 1 ? "," : "",
				    has_changes(told.data) ? "true" : "false");
		text_str(&member, "}");
		if (text_c_string(&member))
			text_format(object, "%s\"git\":%s", object->length > 1 ? "," : "",
				    member.data);
	}
	text_deinit(&told);
	text_deinit(&member);
}
