#include "git.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "masked.h"

#define TOLD_MAX_BYTES (64 * 1024) /* a tree with so many changes has changes */

/* Neither locks nor a daemon, which could meet the command's own git; nothing is fetched. */
static const char script[] =
	"export GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 LC_ALL=C\n"
	"git config --get remote.origin.url | sed 's/^/remote /'\n"
	"exec git -c core.fsmonitor=false status --porcelain=v2 --branch --untracked-files=no "
	"--ignore-submodules=dirty\n";

/* In the child: asks git. A group of its own, to be ended as a whole, which what is typed does not reach; and not
 * longer than we are there: git may hang in a filter of the repository, or on a network. */
static void ask(pid_t parent, int output, const sigset_t *mask)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
	    dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
	    dup2(nothing, STDERR_FILENO) >= 0) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execl("/bin/sh", "sh", "-c", script, (char *)NULL);
	}
	_exit(EXIT_FAILURE);
}

/* Nothing that is buffered is written twice: the child writes nothing. */
static bool spawn(struct git *git, int output, const sigset_t *mask)
{
	pid_t parent = getpid();

	git->pid = fork();
	if (git->pid == 0)
		ask(parent, output, mask);
	if (git->pid < 0)
		git->pid = 0;
	else
		setpgid(git->pid, git->pid); /* whichever of us comes first */
	return git->pid > 0;
}

void git_start(struct git *git, const sigset_t *mask)
{
	int ends[2];

	*git = (struct git){ .output = -1 };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && spawn(git, ends[1], mask))
		git->output = ends[0];
	else
		close(ends[0]);
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

/* A child that had more to write is not reaped yet, so no other group has its number. */
static void end(struct git *git)
{
	if (git->output >= 0 && git->pid)
		kill(-git->pid, SIGKILL);
	close_output(git);
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
	if (git->told.length > TOLD_MAX_BYTES)
		end(git);
	else if (count <= 0)
		close_output(git);
}

void git_reap(struct git *git)
{
	if (git->pid && git->output < 0 && waitpid(git->pid, NULL, WNOHANG) != 0)
		git->pid = 0;
}

void git_stop(struct git *git)
{
	end(git);
	git_reap(git);
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
