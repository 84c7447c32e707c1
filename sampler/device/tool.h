/*
 * tool.h - a vendor's program run for its output, without harm to the program that is sampled.
 *
 * The child gets its own process group, no file descriptor but its output, /dev/null for the
 * others, and default signals. It is killed with all it started when its time is over or its output
 * too long. Only called from slow threads.
 */
#ifndef CAIRN_SAMPLER_TOOL_H
#define CAIRN_SAMPLER_TOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TOOL_PATH_MAX 512
#define TOOL_ARGUMENTS_MAX 16

struct settings;

enum tool_result {
	TOOL_OK,
	TOOL_NOT_STARTED,
	TOOL_FAILED,   /* ended by a signal, or with another exit status than 0 */
	TOOL_TIMEOUT,  /* killed */
	TOOL_STOPPED,  /* killed: the sampler ends */
	TOOL_TOO_LONG, /* killed: more output than there is room for */
};

/* Looks in the folders of the settings' tool path (PATH when the sampler was made), then in
 * `folder`, which may be NULL. The path goes into `ret_path`; false when there is none. */
bool tool_find(const struct settings *settings, const char *name, const char *folder,
	       char ret_path[TOOL_PATH_MAX]);

/* When a tool is run: not more often than the settings allow, and after failures later and later. All zero is now. */
struct tool_turns {
	uint64_t next_ns;
	unsigned failures;
};

bool tool_is_due(const struct tool_turns *turns, uint64_t now_ns);
void tool_was_run(struct tool_turns *turns, const struct settings *settings, uint64_t now_ns,
		  bool is_good);

/* Runs the program until it ends, the time is over, or `stop` is set; its output, ended with NUL, goes into `ret_text`, also after a failure.
 * `arguments` begins with the path and ends with NULL. */
enum tool_result tool_run(const char *const arguments[], unsigned timeout_ms,
			  const atomic_bool *stop, char *ret_text, size_t size);

/* A program that goes on: its output is read a line at a time. */
struct tool_child {
	pid_t pid; /* 0: none */
	int output;
};

/* False when it could not be started. */
bool tool_start(struct tool_child *child, const char *const arguments[]);

/* Reads what is there, waiting at most `wait_ms` for the first byte. The count of bytes; 0:
 * nothing yet; -1: the program has closed its output. */
ssize_t tool_read(const struct tool_child *child, unsigned wait_ms, char *ret_bytes, size_t size);

/* Kills the child's group and waits for the child. Does nothing without one. */
void tool_stop(struct tool_child *child);

#endif
