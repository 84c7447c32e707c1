#include "git.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "masked.h"

#define TOLD_MAX_BYTES (64 * 1024) /* a tree with so many changes has changes */

extern char **environ;

/* Neither locks nor a daemon, which could meet the command's own git; nothing is fetched. */
static const char script[] =
	"export GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 LC_ALL=C\n"
	"git config --get remote.origin.url | sed 's/^/remote /'\n"
	"exec git -c core.fsmonitor=false status --porcelain=v2 --branch --untracked-files=no "
	"--ignore-submodules=dirty\n";

/* A group of its own, to be ended as a whole; what is typed does not reach it. */
static int spawn(struct git *git, int output, const sigset_t *mask)
{
	char name[] = "sh", option[] = "-c", text[sizeof script],
	     *argv[] = { name, option, text, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int e;

	memcpy(text, script, sizeof script);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	e = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	e = e ? e : posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	e = e ? e
	      : posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	e = e ? e : posix_spawnattr_setsigmask(&attributes, mask);
	e = e ? e : posix_spawnattr_setpgroup(&attributes, 0);
	e = e ? e
	      : posix_spawnattr_setflags(&attributes,
					 POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	e = e ? e : posix_spawn(&git->pid, "/bin/sh", &files, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return e;
}

void git_start(struct git *git, const sigset_t *mask)
{
	int ends[2];

	*git = (struct git){ .output = -1 };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && spawn(git, ends[1], mask) == 0) {
		git->output = ends[0];
	} else {
		git->pid = 0;
		close(ends[0]);
	}
	close(ends[1]);
}

struct pollfd git_wish(const struct git *git)
{
	return (struct pollfd){ .fd = git->output, .events = POLLIN };
}

static void close_output(struct git *git)
{
	if (git->output >= 0)
		close(git->output);
	git->output = -1;
}

void git_step(struct git *git, short found)
{
	char bytes[4096];
	ssize_t count;

	if (!found || git->output < 0)
		return;
	count = read(git->output, bytes, sizeof bytes);
	if (count > 0)
		text_add(&git->told, bytes, (size_t)count);
	else if (count == 0)
		git->is_whole = true;
	else if (errno == EINTR || errno == EAGAIN)
		return;
	if (count <= 0 || git->told.length > TOLD_MAX_BYTES)
		close_output(git);
}

void git_stop(struct git *git)
{
	close_output(git);
	if (git->pid && waitpid(git->pid, NULL, WNOHANG) == 0) {
		kill(-git->pid, SIGKILL);
		waitpid(git->pid, NULL, WNOHANG);
	}
	git->pid = 0;
	text_deinit(&git->told);
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

/* What stands in brackets is no name: "(initial)", "(detached)". */
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

void git_write(const struct git *git, struct text *object)
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
