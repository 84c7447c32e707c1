#include "metadata.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "git.h"
#include "masked.h"
#include "run.h"
#include "slurm.h"
#include "transport.h"

#define GIT_US 10000000     /* in a large tree on a network it may take its time */
#define TOOLS_AFTER_MS 1000 /* behind the command, for git and Slurm */
/* The page reads 256 KiB of the file, to which the machine may add 64: all of them, and each, of which JSON may make six
 * times as much. */
#define ARGUMENTS_MAX_BYTES (64 * 1024)
#define WORD_MAX_BYTES (8 * 1024)
#define CUT "…"

bool metadata_find(const char *name, enum metadata_what *ret_what)
{
	static const char *const names[] = { "all", "no-command", "none" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(name, names[i]) == 0) {
			*ret_what = (enum metadata_what)i;
			return true;
		}
	}
	return false;
}

void metadata_begin(struct metadata *metadata, char *const *argv, const sigset_t *mask)
{
	metadata->git = (struct inquiry){ .output = -1 };
	metadata->slurm = (struct inquiry){ .output = -1 };
	if (metadata->what == METADATA_NONE)
		return;
	metadata->argv = argv;
	metadata->begun_us = run_wall_clock_us();
	metadata->late_us = transport_clock_us() + GIT_US;
	metadata->slurm_late_us = transport_clock_us() + SLURM_TOOL_US;
	git_start(&metadata->git, mask);
	slurm_start(&metadata->slurm, mask);
}

static void write_start(const struct metadata *metadata, struct text *object)
{
	time_t second = metadata->begun_us / 1000000;
	char time[32], text[48];
	struct tm tm;

	if (!gmtime_r(&second, &tm) || !strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	snprintf(text, sizeof text, "%s.%06dZ", time, (int)(metadata->begun_us % 1000000));
	text_json_member(object, "startedAt", text);
}

static void write_folder(struct text *object)
{
	char *folder = getcwd(NULL, 0);

	text_json_member(object, "root", folder);
	free(folder);
}

/* A long word between two of its characters. */
static void cut(struct text *word)
{
	size_t end = WORD_MAX_BYTES;

	if (word->length <= end)
		return;
	while (end > WORD_MAX_BYTES - 3 && (word->data[end] & 0xc0) == 0x80)
		end--;
	word->length = end;
	text_str(word, CUT);
}

static bool is_program(const char *path)
{
	struct stat facts;

	return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

/* Writes the path at which execvp() finds the program. */
static void write_executable(const char *program, struct text *object)
{
	const char *folders = strchr(program, '/') ? NULL : getenv("PATH");
	char path[PATH_MAX];

	while (folders && *folders) {
		int length = (int)strcspn(folders, ":");
		int all = snprintf(path, sizeof path, "%.*s/%s", length, folders, program);

		if (length && all < (int)sizeof path && is_program(path)) {
			text_json_member(object, "executable", path);
			return;
		}
		folders += length + (folders[length] == ':');
	}
}

static void write_command(char *const *argv, struct text *object)
{
	struct text word = { 0 };
	bool is_cut = false;

	text_json_member(object, "program", argv[0]);
	write_executable(argv[0], object);
	text_str(object, ",\"args\":[");
	for (size_t i = 1; argv[i] && !is_cut; i++) {
		text_clear(&word, SIZE_MAX);
		is_cut = object->length > ARGUMENTS_MAX_BYTES;
		if (is_cut)
			text_str(&word, CUT);
		else
			masked_argument(&word, argv, i);
		cut(&word);
		text_str(object, i > 1 ? "," : "");
		text_json_string(object, word.data ? word.data : "", word.length);
		object->failed |= word.failed;
	}
	text_str(object, "]");
	text_deinit(&word);
}

static void hand_over(struct metadata *metadata, struct cairn_run *run)
{
	struct text object = { 0 };

	text_str(&object, "{");
	write_start(metadata, &object);
	write_folder(&object);
	if (metadata->what == METADATA_ALL)
		write_command(metadata->argv, &object);
	git_write(&metadata->git, &object);
	slurm_write(&metadata->slurm, &object);
	inquiry_stop(&metadata->git);
	inquiry_stop(&metadata->slurm);
	metadata->what = METADATA_NONE;
	if (run)
		run_put_metadata(run, &object);
	else
		text_deinit(&object);
}

void metadata_wish(const struct metadata *metadata, struct pollfd fds[METADATA_FDS])
{
	fds[0] = inquiry_wish(&metadata->git);
	fds[1] = inquiry_wish(&metadata->slurm);
}

/* Both have answered, or have had their time. */
static bool is_complete(const struct metadata *metadata)
{
	int64_t now_us = transport_clock_us();
	bool has_slurm = metadata->slurm.output < 0 || now_us > metadata->slurm_late_us;

	return (metadata->git.output < 0 && has_slurm) || now_us > metadata->late_us;
}

void metadata_step(struct metadata *metadata, const struct pollfd *fds, struct cairn_run *run)
{
	inquiry_reap(&metadata->git);
	inquiry_reap(&metadata->slurm);
	if (metadata->what == METADATA_NONE)
		return;
	inquiry_step(&metadata->git, fds ? fds[0].revents : 0);
	inquiry_step(&metadata->slurm, fds ? fds[1].revents : 0);
	if (is_complete(metadata))
		hand_over(metadata, run);
}

void metadata_end(struct metadata *metadata, int wait_ms, struct cairn_run *run)
{
	int64_t until_us;

	wait_ms = wait_ms < TOOLS_AFTER_MS ? wait_ms : TOOLS_AFTER_MS;
	until_us = transport_clock_us() + (int64_t)wait_ms * 1000;
	if (until_us < metadata->late_us)
		metadata->late_us = until_us;
	while (metadata->what != METADATA_NONE) {
		int64_t left_us = metadata->late_us - transport_clock_us();
		struct pollfd fds[METADATA_FDS];
		int found;

		metadata_wish(metadata, fds);
		found = poll(fds, METADATA_FDS, left_us > 0 ? (int)(left_us / 1000) + 1 : 0);
		metadata_step(metadata, found > 0 ? fds : NULL, run);
	}
}
