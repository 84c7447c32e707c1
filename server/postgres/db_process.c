/*
 * Between fork and exec in a process with threads only system calls are safe, so everything that
 * needs memory (groups, environment) is prepared before. The order in the child matters: a session
 * of its own (a terminal's Ctrl-C is only for us), then the drop of rights, then the death signal,
 * which a change of user clears.
 */
#include "db_process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "str.h"

/* Exit statuses of a child that never became the program. */
enum { NO_WORKDIR = 124, NO_PARENT = 125, NO_RIGHTS = 126, NO_PROGRAM = 127 };

static bool take_user(struct arena *a, const struct passwd *p, struct db_user *ret_user)
{
	int groups = 64;
	gid_t *group = arena_new_array(a, gid_t, (size_t)groups);

	if (!p || getgrouplist(p->pw_name, p->pw_gid, group, &groups) < 0)
		return false;
	*ret_user = (struct db_user){
		.name = arena_strdup(a, p->pw_name),
		.uid = p->pw_uid,
		.gid = p->pw_gid,
		.group = group,
		.groups = groups,
		.drop = geteuid() == 0,
	};
	return true;
}

err_t db_user_find(struct arena *a, const char *wanted, struct db_user *ret_user)
{
	static const char *const names[] = { "cairn", "postgres", "nobody" };

	if (geteuid() != 0) {
		if (take_user(a, getpwuid(geteuid()), ret_user))
			return NULL;
		return err_new(a, ERR_PRECONDITION,
			       "user id %d has no name on this machine, but PostgreSQL needs one",
			       (int)geteuid());
	}
	for (size_t i = 0; i < (wanted ? 1 : sizeof(names) / sizeof(names[0])); i++) {
		if (take_user(a, getpwnam(wanted ? wanted : names[i]), ret_user) &&
		    ret_user->uid != 0)
			return NULL;
	}
	return err_new(a, ERR_PRECONDITION,
		       "PostgreSQL must not run as root, and the user \"%s\" does not exist",
		       wanted ? wanted : "cairn");
}

/*
 * The environment of PostgreSQL's programs. A statement of theirs takes and gives back some hundred
 * kilobytes; left to itself, glibc gives them to the kernel each time, and the faults that bring
 * them back were a quarter of its time in a flush of many small batches.
 */
static const char *const own_environment[] = {
	"LC_ALL=C.UTF-8",
	"TZ=UTC",
	"MALLOC_TRIM_THRESHOLD_=8388608",
	"MALLOC_MMAP_THRESHOLD_=8388608",
};
enum { OWN_COUNT = sizeof(own_environment) / sizeof(own_environment[0]) };

static bool is_own(const char *variable)
{
	for (size_t i = 0; i < OWN_COUNT; i++) {
		size_t name = strcspn(own_environment[i], "=") + 1;

		if (strncmp(variable, own_environment[i], name) == 0)
			return true;
	}
	return false;
}

/* Our environment without variables that would point them elsewhere. */
static char **make_environment(struct arena *a, const char *const *more)
{
	size_t count = 0;
	size_t more_count = 0;
	size_t n = 0;
	char **env;

	while (environ[count])
		count++;
	while (more && more[more_count])
		more_count++;
	env = arena_new_array(a, char *, count + OWN_COUNT + more_count + 1);
	for (size_t i = 0; i < count; i++) {
		if (strncmp(environ[i], "PG", 2) != 0 && !is_own(environ[i]))
			env[n++] = environ[i];
	}
	for (size_t i = 0; i < OWN_COUNT; i++)
		env[n++] = arena_strdup(a, own_environment[i]);
	for (size_t i = 0; i < more_count; i++)
		env[n++] = arena_strdup(a, more[i]);
	return env;
}

static void set_descriptor(int fd, int as)
{
	int from = fd >= 0 ? fd : open("/dev/null", O_RDWR | O_CLOEXEC);

	if (from == as)
		fcntl(as, F_SETFD, 0);
	else
		dup2(from, as);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool drop_rights(const struct db_user *u)
{
	if (!u->drop)
		return true;
	return setgroups((size_t)u->groups, u->group) == 0 && setgid(u->gid) == 0 &&
	       setuid(u->uid) == 0;
}

static _Noreturn void become(const struct db_spawn *s, char **env, pid_t parent)
{
	setsid();
	set_descriptor(s->in, 0);
	set_descriptor(s->out, 1);
	set_descriptor(s->err, 2);
	if (!drop_rights(s->user))
		_exit(NO_RIGHTS);
	if (s->death_signal)
		prctl(PR_SET_PDEATHSIG, s->death_signal);
	if (getppid() != parent)
		_exit(NO_PARENT);
	reset_signals();
	if (chdir(s->workdir))
		_exit(NO_WORKDIR);
	umask(077);
	if (close_range(3, ~0u, 0)) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
	}
	execve(s->argv[0], (char *const *)(uintptr_t)s->argv, env);
	_exit(NO_PROGRAM);
}

err_t db_spawn(struct arena *a, const struct db_spawn *s, pid_t *ret_pid)
{
	char **env = make_environment(a, s->env);
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return err_new(a, ERR_INTERNAL, "cannot start \"%s\": %s", s->argv[0],
			       strerror(errno));
	if (pid == 0)
		become(s, env, parent);
	*ret_pid = pid;
	return NULL;
}

err_t db_spawn_error(struct arena *a, const char *program, int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (code == 0)
		return NULL;
	if (code == NO_WORKDIR)
		return err_new(a, ERR_PRECONDITION,
			       "the user that runs PostgreSQL cannot access the data directory: "
			       "a directory above it is closed to other users");
	if (code == NO_PROGRAM)
		return err_new(a, ERR_PRECONDITION, "cannot run \"%s\"", program);
	if (code < 0)
		return err_new(a, ERR_INTERNAL, "\"%s\" was killed by signal %d", program,
			       WTERMSIG(status));
	return err_new(a, ERR_INTERNAL, "\"%s\" exited with status %d", program, code);
}

err_t db_spawn_wait(struct arena *a, const char *program, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return err_new(a, ERR_INTERNAL, "wait for \"%s\": %s", program,
				       strerror(errno));
	}
	return db_spawn_error(a, program, status);
}

bool db_spawn_wait_ms(pid_t pid, int ms, int *ret_status)
{
	int64_t until_us = clock_mono_us() + (int64_t)ms * 1000;

	for (;;) {
		if (waitpid(pid, ret_status, WNOHANG) == pid)
			return true;
		if (clock_mono_us() >= until_us)
			return false;
		clock_sleep_us(5000);
	}
}

err_t db_spawn_line(struct arena *a, const struct db_spawn *spawn, const char **ret_line)
{
	struct db_spawn s = *spawn;
	char text[512];
	size_t len = 0;
	int fd[2];
	ssize_t got;
	pid_t pid;
	err_t e;

	if (pipe2(fd, O_CLOEXEC))
		return err_new(a, ERR_INTERNAL, "pipe: %s", strerror(errno));
	s.out = fd[1];
	e = db_spawn(a, &s, &pid);
	close(fd[1]);
	while (!e && len < sizeof(text)) {
		got = read(fd[0], text + len, sizeof(text) - len);
		if (got <= 0)
			break;
		len += (size_t)got;
	}
	close(fd[0]);
	if (e)
		return e;
	e = db_spawn_wait(a, s.argv[0], pid);
	if (e)
		return e;
	*ret_line = str_copy(a, str_cut(&(struct str){ text, len }, '\n'));
	return NULL;
}
