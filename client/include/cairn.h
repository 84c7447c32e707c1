/*
 * libcairn: log a run of a program to a Cairn server.
 *
 *	struct cairn_run *run;
 *	cairn_run_start(NULL, &run);                          // everything from the environment
 *	CAIRN_LOG(run, { "loss", loss }, { "accuracy", acc }); // as often as you like
 *	cairn_finish(run, 0, 10000, NULL);                     // at most 10 s
 *
 * Compile with `pkg-config --cflags --libs cairn`.
 *
 * The library never aborts, never prints, never changes signal handling, and never waits for the
 * network in your thread unless a function says so. Calls copy their arguments into a bounded
 * buffer and return. Two background threads per run (a third one while system metrics are sampled):
 * one sends the data and retries as long as the process lives, the other one writes what cannot be
 * sent to disk.
 *
 * The spool: data that was not sent for 5 s (CAIRN_SPOOL_AFTER_MS), or of which more than 16 MiB
 * wait (CAIRN_SPOOL_AFTER_MIB), goes to files below CAIRN_SPOOL_DIR [.cairn/spool in the working
 * directory] and is sent from there, in order. While the server takes data nothing is on disk. Data
 * is written within 1 s (0.1 s in offline mode) and forced to the disk by fsync once a second. The
 * spool has at most 10 GiB (CAIRN_SPOOL_MAX_GIB) and leaves 5 % of the disk or 1 GiB free,
 * whichever is less (CAIRN_SPOOL_RESERVE). If it cannot be used, data stays in memory and
 * cairn_last_error() says why. CAIRN_SPOOL=off turns it off. `cairn sync` sends what a process left.
 *
 * When buffer and spool are full, new data is dropped and older data is kept. Drops are counted per
 * stream, reported to the server when it is reachable again, and returned by cairn_stats().
 *
 * Every function except cairn_run_free() may be called from any thread at any time, and accepts
 * NULL for the run: then it does nothing and returns CAIRN_INVALID. Results may be ignored.
 *
 * After fork(), the child's copy of a run is unusable: all calls on it return CAIRN_FORKED and do
 * nothing; the parent is not affected. To log from the child, start a new run there (with the same
 * run id and the role of a worker, it writes to the same run). fork() waits until the background
 * threads hold no locks of this library, libcurl or TLS: milliseconds, never for the network, and
 * never more than 5 s.
 *
 * Timeouts are milliseconds of the monotonic clock; 0 or less does not wait.
 *
 * Signals: only cairn_should_stop() may be called from a handler.
 *
 * At exit(), or return from main(), a run that was not finished is finished with the exit status
 * of the process, for at most `exit_timeout_ms`. At _exit() or when a signal kills the process,
 * nothing is done: the server notices the silence.
 *
 * Limits: the name of a metric, or of a member of config or summary, has 1 to 2,048 bytes of UTF-8,
 * including the names of its parent objects and the dots between them. The server escapes control
 * characters in names of metrics, and stores names of more than 512 bytes in a shortened form with
 * the full name (docs/rest.md, "Odd names"). A row, a string and a nested value have at most 10,000
 * values and 10 MiB; a console line has 64 KiB (longer lines are split); config and summary have
 * 1 MiB each. JSON may be nested 32 levels deep.
 */
#ifndef CAIRN_H
#define CAIRN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_API __attribute__((visibility("default")))

/* One process that writes into one run, from cairn_run_start() to cairn_run_free(). */
struct cairn_run;

/* Result of a call. */
enum cairn_result {
	CAIRN_OK = 0,
	CAIRN_INVALID,  /* invalid argument, or the run is NULL; nothing was stored */
	CAIRN_FULL,     /* the buffer is full; the data was dropped and counted */
	CAIRN_MEMORY,   /* an allocation failed; the data was dropped and counted */
	CAIRN_FINISHED, /* the run is finished; nothing was stored */
	CAIRN_FORKED,   /* this is a copy of a run in a forked child; nothing was done */
	CAIRN_TIMEOUT,  /* the timeout has expired */
	CAIRN_REFUSED,  /* the server rejects this key or this run: see cairn_last_error() */
	CAIRN_SETUP     /* no server address or no key is set: see cairn_last_error() */
};

/* Only a primary decides how a run ends. A worker adds to a run. */
enum cairn_role {
	CAIRN_ROLE_DEFAULT = 0, /* CAIRN_ROLE, else worker if run_id or CAIRN_RUN is set and a
				   launcher has given this process a rank above 0, else primary */
	CAIRN_PRIMARY,
	CAIRN_WORKER
};

enum cairn_stream { CAIRN_STDOUT = 1, CAIRN_STDERR = 2 };

/*
 * Options of a run. Initialize with CAIRN_OPTIONS_INIT and set the members you need. A member that
 * is NULL (a number: -1) is taken from the environment variable named next to it, else from the
 * file written by `cairn login` ($XDG_CONFIG_HOME or ~/.config, then cairn/credentials), else it
 * has the default in brackets. The pointers are not used after the call.
 */
struct cairn_options {
	size_t size; /* sizeof (struct cairn_options), set by CAIRN_OPTIONS_INIT */

	const char *url;     /* CAIRN_URL: http://host:port or https://…, with its path prefix */
	const char *api_key; /* CAIRN_API_KEY */
	const char *api_key_file; /* CAIRN_API_KEY_FILE: file with the key on its first line */
	const char *ca_file;      /* CAIRN_CA_FILE: PEM certificates to trust [the system's] */

	const char *project;   /* CAIRN_PROJECT: "entity/project", or "project" of your default
				      entity ["uncategorized"] */
	const char *run_id;    /* CAIRN_RUN: join this run, or create it with this id [random] */
	const char *label;     /* CAIRN_LABEL: display name of this process ["rank3" if a launcher
				such as torchrun or srun says so, else "<host>-<random>", or
				"<label>-<random>" inside cairn run --label] */
	const char *client_id; /* CAIRN_CLIENT: id of this process in the run [random]. Two
				      living processes must not share one */
	const char
		*parent; /* CAIRN_PARENT: client id of the writer at whose end this one ends, too */
	enum cairn_role role; /* CAIRN_ROLE: "primary" or "worker" [see enum cairn_role] */

	const char *display_name; /* CAIRN_NAME: these are set if this call creates the run, */
	const char *group;        /* CAIRN_GROUP   and ignored if it exists [none] */
	const char *job_type;     /* CAIRN_JOB_TYPE */
	const char *tags;         /* CAIRN_TAGS: separated by commas */
	const char *notes;        /* CAIRN_NOTES */
	const char *config_json;  /* a JSON object, as for cairn_config_json() */

	double sample_interval_s; /* CAIRN_SAMPLE_INTERVAL: of system metrics, 0.1 or more; 0: off
				      [15] */
	int sample_pid;           /* sample this process and its descendants [this process] */
	const char *sample_disks; /* CAIRN_SAMPLE_DISKS: paths separated by commas ["/"] */
	const char *sample_gpus;  /* CAIRN_SAMPLE_GPUS: indices separated by commas [all] */

	int64_t buffer_bytes;   /* CAIRN_BUFFER_MIB (in MiB): memory for unsent data, at least 1 MiB
				      [64 MiB]. Up to 10 MiB more are used while a batch is sent, and
				      several times its size for a row of more than 1 MiB */
	int flush_interval_ms;  /* CAIRN_FLUSH_MS: data waits at most this long [1000] */
	int request_timeout_ms; /* CAIRN_REQUEST_TIMEOUT_MS: for one request [30000] */
	int exit_timeout_ms;    /* CAIRN_EXIT_TIMEOUT_MS: at exit() with an unfinished run; 0: do
				      nothing [2000] */

	const char *mode; /* CAIRN_MODE: "online"; "offline" (or "dryrun"): everything goes into
			     the spool and nothing to the network; "disabled": nothing is recorded
			     [online] */
};

#define CAIRN_OPTIONS_INIT \
	{ \
		.size = sizeof(struct cairn_options), .sample_interval_s = -1, .sample_pid = -1, \
		.buffer_bytes = -1, .flush_interval_ms = -1, .request_timeout_ms = -1, \
		.exit_timeout_ms = -1 \
	}

/*
 * Starts writing to a run, which the background thread creates or joins. Returns at once, even if
 * the server is unreachable. With NULL options, all defaults are used. On failure *ret_run is NULL,
 * which all other functions accept, and cairn_last_error(NULL, …) returns the reason; it can fail
 * only with CAIRN_SETUP, CAIRN_INVALID and CAIRN_MEMORY. Proxy settings of the environment
 * (https_proxy, no_proxy …) are used.
 */
CAIRN_API int cairn_run_start(const struct cairn_options *options, struct cairn_run **ret_run);

/*
 * Waits until this writer has joined. Returns CAIRN_TIMEOUT after timeout_ms, and CAIRN_REFUSED at
 * once if the server rejects it. Not needed before logging. In offline mode it waits for the spool.
 */
CAIRN_API int cairn_wait_joined(struct cairn_run *run, int timeout_ms);

/* A named number. NaN and the infinities are stored unchanged. */
struct cairn_metric {
	const char *name;
	double value;
};

/*
 * Adds one row of numbers to the history, with the time of this call. The server assigns the next
 * step of the run. Copies the row and returns: about a microsecond for ten values, without system
 * calls except to wake the sender or to allocate memory. If a name occurs twice in a row, the last
 * value counts. The names _step, _timestamp, _row and _label are reserved.
 */
CAIRN_API int cairn_log(struct cairn_run *run, size_t count, const struct cairn_metric *metrics);

/* Adds one row with the given step, 0 to 2^53. */
CAIRN_API int cairn_log_step(struct cairn_run *run, int64_t step, size_t count,
			     const struct cairn_metric *metrics);

/* CAIRN_LOG(run, { "loss", 0.5 }, { "lr", 1e-3 }); values may have any arithmetic type. */
#define CAIRN_LOG(run, ...) \
	cairn_log((run), \
		  sizeof((const struct cairn_metric[]){ __VA_ARGS__ }) / \
			  sizeof(struct cairn_metric), \
		  (const struct cairn_metric[]){ __VA_ARGS__ })
#define CAIRN_LOG_STEP(run, step, ...) \
	cairn_log_step((run), (step), \
		       sizeof((const struct cairn_metric[]){ __VA_ARGS__ }) / \
			       sizeof(struct cairn_metric), \
		       (const struct cairn_metric[]){ __VA_ARGS__ })

/*
 * Adds one row given as a JSON object, which may contain text, booleans and nested values. "_step"
 * and "_timestamp" (seconds since 1970) set the step and time of the row. If the text is not a valid
 * JSON object, or repeats a name, returns CAIRN_INVALID and stores nothing.
 */
CAIRN_API int cairn_log_json(struct cairn_run *run, const char *object);

/* Adds one row to this writer's events, the stream of system metrics. */
CAIRN_API int cairn_event(struct cairn_run *run, size_t count, const struct cairn_metric *metrics);

/*
 * Sets members of this writer's config, the inputs of the run. Members of `object` replace earlier
 * members of the same name; the server merges the configs of all writers.
 */
CAIRN_API int cairn_config_json(struct cairn_run *run, const char *object);
CAIRN_API int cairn_config_number(struct cairn_run *run, const char *name, double value);
CAIRN_API int cairn_config_text(struct cairn_run *run, const char *name, const char *value);

/* Sets members of the run's summary; they override the last logged values. */
CAIRN_API int cairn_summary_json(struct cairn_run *run, const char *object);
CAIRN_API int cairn_summary_number(struct cairn_run *run, const char *name, double value);
CAIRN_API int cairn_summary_text(struct cairn_run *run, const char *name, const char *value);

/*
 * Adds output to the run's console, like a terminal: any bytes, not only complete lines. A line ends
 * at a line feed; a carriage return restarts it, so a progress bar is one line. Bytes that are not
 * UTF-8 are replaced. An incomplete line is sent and completed later. Returns CAIRN_FULL if at least
 * one line was dropped.
 */
CAIRN_API int cairn_console(struct cairn_run *run, enum cairn_stream stream, const char *bytes,
			    size_t count);

/*
 * Sends an alert at once. The alert is stored with the run and forwarded to the project's webhook.
 * The title has 1 to 256 bytes; the text has at most 16 KiB and may be NULL. Repeats of a title
 * within a minute are counted, not sent. At most 100 alerts wait to be sent, then CAIRN_FULL is
 * returned. An alert that the server rejects, or that fails 12 times while other data is accepted,
 * is dropped and counted in alerts_unsent.
 */
enum cairn_alert_level { CAIRN_ALERT_INFO = 1, CAIRN_ALERT_WARN, CAIRN_ALERT_ERROR };
CAIRN_API int cairn_alert(struct cairn_run *run, enum cairn_alert_level level, const char *title,
			  const char *text);

/*
 * Waits until all data logged before the call is stored, else CAIRN_TIMEOUT or CAIRN_REFUSED. In
 * offline mode: until it is in the spool and forced to the disk.
 */
CAIRN_API int cairn_flush(struct cairn_run *run, int timeout_ms);

/* Data that cairn_finish() could not send. All zero: everything was stored by the server. */
struct cairn_report {
	uint64_t history_unsent; /* rows not confirmed by the server (it may have stored a few) */
	uint64_t events_unsent;
	uint64_t console_unsent; /* lines */
	uint64_t history_lost;   /* rows dropped because the buffer was full, or rejected */
	uint64_t events_lost;
	uint64_t console_lost;
	uint64_t alerts_unsent;
	uint64_t
		values_left_out; /* values of confirmed rows that the server could not store; listed
				     on the run's page */
	bool documents_unsent;   /* the last config or summary */
	bool end_unsent;         /* the end of this writer was not sent */
	char error[256];         /* the last error, empty if none */

	/* In the spool, to be sent by `cairn sync`; not part of the counts above */
	uint64_t history_spooled, events_spooled, console_spooled, alerts_spooled;
	bool end_spooled;
	char spool[1024]; /* the folder in which they are, empty if none */
};

/*
 * Sends remaining data and ends this writer. The exit code of a primary (-255 to 255) decides how
 * the run ends (0: finished, else failed). Blocks for at most timeout_ms, then stops sending and
 * returns CAIRN_TIMEOUT or CAIRN_REFUSED. What was not sent is in the spool then; on a slow disk
 * that takes up to a second more. In offline mode it returns CAIRN_OK once all is in the spool.
 * ret_report may be NULL. Later calls on the run return
 * CAIRN_FINISHED; a second finish returns the result of the first. Calling cairn_run_free()
 * afterwards is optional.
 *
 * The library knows the report of each header by the symbol. Programs that were built with a header
 * without the members from history_spooled on call `cairn_finish`, which writes those before and
 * counts data in the spool as unsent. This header stands for `cairn_finish_v2`, which writes all of
 * them; who looks functions up by name (dlsym) takes that one.
 */
CAIRN_API int cairn_finish(struct cairn_run *run, int exit_code, int timeout_ms,
			   struct cairn_report *ret_report) __asm__("cairn_finish_v2");

/*
 * Frees the run. An unfinished run stops without notifying the server; its unsent data goes to the
 * spool. No other call on this run may be in progress or follow. Does not wait for the network or
 * the disk.
 */
CAIRN_API void cairn_run_free(struct cairn_run *run);

/* Available at once; valid as long as the run. "" for NULL. */
CAIRN_API const char *cairn_run_id(const struct cairn_run *run);
CAIRN_API const char *cairn_client_id(const struct cairn_run *run);
CAIRN_API const char *cairn_label(const struct cairn_run *run);

/*
 * Writes the address of the run's web page to text (always terminated, truncated to size) and returns
 * its full length, like snprintf; at most the length of the server's address and 3,200 bytes. The
 * length is 0 until the entity is known: at once if the project was given as "entity/project", else
 * when the writer has joined.
 */
CAIRN_API size_t cairn_run_url(struct cairn_run *run, char *text, size_t size);

/* True after a request to stop this run: save your work and finish. Cheap to call often. */
CAIRN_API bool cairn_should_stop(const struct cairn_run *run);

/*
 * Artifacts: versions of files. These two calls wait for the server, for at most timeout_ms, and read or write files in the
 * calling thread and in up to `jobs` threads of their own. What a call that timed out has sent is not sent again by the next
 * one, also of a large file, which goes in parts. In offline mode artifacts are not kept: the calls return CAIRN_INVALID. cairn_last_error() has the reason of a failure.
 */
struct cairn_artifact {
	size_t size;                /* sizeof (struct cairn_artifact), set by CAIRN_ARTIFACT_INIT */
	const char *name;           /* of the collection of versions; required */
	const char *type;           /* such as "model" or "dataset"; required */
	const char *const *aliases; /* in addition to "latest", ended by NULL [none] */
	const char *description;    /* [none] */
	const char *metadata_json;  /* a JSON object [none] */
	int jobs;                   /* files at the same time [4] */
};
#define CAIRN_ARTIFACT_INIT \
	{ \
		.size = sizeof(struct cairn_artifact) \
	}

/*
 * Stores a file, or all files below a folder, as the next version of an artifact, made by this run. If no file changed, no
 * version is made. `version` (may be NULL) receives its number, such as "v3", and "" without one. CAIRN_INVALID: a file cannot be
 * read.
 */
CAIRN_API int cairn_log_artifact(struct cairn_run *run, const char *path,
				 const struct cairn_artifact *artifact, int timeout_ms,
				 char version[16]);

/*
 * Records that this run uses a version: "name:version" of its project, or "entity/project/name:version"; the version is "v3"
 * or an alias. Writes its files below the folder, unless that is NULL. Files that are there unchanged are left as they are.
 */
CAIRN_API int cairn_use_artifact(struct cairn_run *run, const char *artifact, const char *folder,
				 int timeout_ms);

/*
 * Reports that this process is about to lose its machine: preemption, or the end of its time. The run becomes
 * `preempting`, and `preempted` if it then fails or falls silent. Unsent data is sent at once. Returns without waiting: call
 * cairn_flush() to wait for the server. Takes locks, so it must not be called from a signal handler.
 */
CAIRN_API int cairn_preempting(struct cairn_run *run);

struct cairn_stream_stats {
	uint64_t accepted; /* accepted by a call */
	uint64_t stored;   /* confirmed by the server */
	uint64_t dropped;  /* buffer full or out of memory; not part of accepted */
	uint64_t refused;  /* accepted, but rejected by the server */
	uint64_t queued;   /* accepted - stored - refused */
};

struct cairn_stats {
	struct cairn_stream_stats history, events, console;
	uint64_t batches;      /* confirmed */
	uint64_t retries;      /* requests sent again */
	uint64_t joins;        /* more than one: the session was renewed */
	uint64_t buffer_bytes; /* in use now */
	bool joined;
};

CAIRN_API void cairn_stats(struct cairn_run *run, struct cairn_stats *ret_stats);

/*
 * Copies the text of the last error, like cairn_run_url(). For NULL: the reason why the last
 * cairn_run_start() in this thread failed.
 */
CAIRN_API size_t cairn_last_error(struct cairn_run *run, char *text, size_t size);

/* Name of a result, such as "full". */
CAIRN_API const char *cairn_result_name(int result);

CAIRN_API const char *cairn_version(void);

#ifdef __cplusplus
}
#endif

#endif
