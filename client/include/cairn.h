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
 * The library is a guest in your process. It never aborts, never prints, never touches signals and
 * never waits for the network in your thread, but where a function says so. Calls copy what they
 * are given into a bounded buffer and return; one background thread per run (a second one while
 * system metrics are sampled) sends it, and tries again for as long as the process lives. A server
 * that is away costs memory up to the limit and nothing else.
 *
 * When the buffer is full the newest data is dropped: what was logged first is kept. Drops are
 * counted per stream, sent to the server when it is back, and shown by cairn_stats().
 *
 * Every function but cairn_run_free() may be called from any thread at any time, and accepts NULL
 * for the run: then it does nothing and returns CAIRN_INVALID. No result has to be looked at.
 *
 * After fork() the child's copy of a run is dead: all calls on it return CAIRN_FORKED and do
 * nothing; the parent is not affected. A child that wants to log starts a run of its own (with the
 * same run id and the role of a worker it writes into the same run). So that no lock of ours, of
 * libcurl or of TLS is left behind locked in the child, fork() waits until the background threads
 * are between two pieces of work: milliseconds, never for the network, and never more than 5 s.
 *
 * Time-outs are milliseconds of the monotonic clock; 0 and less does not wait.
 *
 * Signals: only cairn_should_stop() may be called from a handler.
 *
 * At exit(), or return from main(), a run that was not finished is finished with the exit status
 * of the process, for at most `exit_timeout_ms`. At _exit() and at death by a signal nothing is
 * done: the server notices the silence.
 *
 * Limits: a name of a metric, or of a member of config or summary, has 1 to 2,048 bytes of UTF-8, with
 * those of the objects around it and the dots between them. Of a metric the server keeps control characters in another
 * form, and of a name above 512 bytes a shortened form and the whole name (docs/rest.md, "Odd names"). A row has at
 * most 10,000 values and 10 MiB, and so has one string or nested value; a console line 64 KiB (longer ones are cut
 * into several); config and summary 1 MiB each. JSON is at most 32 deep.
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

/* What every call returns. */
enum cairn_result {
	CAIRN_OK = 0,
	CAIRN_INVALID,  /* an argument is wrong, or the run is NULL; nothing was kept */
	CAIRN_FULL,     /* the buffer is full; the data was dropped and counted */
	CAIRN_MEMORY,   /* an allocation failed; the data was dropped and counted */
	CAIRN_FINISHED, /* the run is finished; nothing was kept */
	CAIRN_FORKED,   /* this is a copy of a run in a forked child; nothing was done */
	CAIRN_TIMEOUT,  /* the time given was not enough */
	CAIRN_REFUSED,  /* the server refuses this key or this run: see cairn_last_error() */
	CAIRN_SETUP     /* no server address or no key is set: see cairn_last_error() */
};

/* Only a primary decides how a run ends. A worker adds to a run. */
enum cairn_role {
	CAIRN_ROLE_DEFAULT = 0, /* CAIRN_ROLE, else primary */
	CAIRN_PRIMARY,
	CAIRN_WORKER
};

enum cairn_stream { CAIRN_STDOUT = 1, CAIRN_STDERR = 2 };

/*
 * How a run is started. Begin with CAIRN_OPTIONS_INIT and set what matters; a member that is NULL
 * (a number: -1) is taken from the environment variable named beside it, else from the file
 * that `cairn login` wrote ($XDG_CONFIG_HOME or ~/.config, then cairn/credentials), else it has
 * the default named last. Nothing is kept of the pointers after the call.
 */
struct cairn_options {
	size_t size; /* sizeof (struct cairn_options), set by CAIRN_OPTIONS_INIT */

	const char *url;     /* CAIRN_URL: http://host:port or https://…, with any path prefix */
	const char *api_key; /* CAIRN_API_KEY */
	const char *api_key_file; /* CAIRN_API_KEY_FILE: its first line is the key */
	const char *ca_file;      /* CAIRN_CA_FILE: PEM certificates to trust; the system's */

	const char *project;   /* CAIRN_PROJECT: "entity/project", or "project" of your default
				      entity; "uncategorized" */
	const char *run_id;    /* CAIRN_RUN: join this run, or make it under this id; random */
	const char *label;     /* CAIRN_LABEL: this process' name for people; "<host>-<random>",
				or "<label>-<random>" inside cairn run --label */
	const char *client_id; /* CAIRN_CLIENT: identifies this process in the run; random. Two
				      living processes must not share one */
	const char *parent;    /* CAIRN_PARENT: client id of the writer that ends this one too */
	enum cairn_role role;  /* CAIRN_ROLE: "primary" or "worker"; primary */

	const char *display_name; /* CAIRN_NAME: these are set when this call makes the run and */
	const char *group;        /* CAIRN_GROUP   ignored when it exists; none of them */
	const char *job_type;     /* CAIRN_JOB_TYPE */
	const char *tags;         /* CAIRN_TAGS: separated by commas */
	const char *notes;        /* CAIRN_NOTES */
	const char *config_json;  /* a JSON object, as by cairn_config_json() */

	double sample_interval_s; /* CAIRN_SAMPLE_INTERVAL: system metrics, 0.1 and more; 0 is off;
				      15 */
	int sample_pid;           /* sample this process and its descendants; this process */
	const char *sample_disks; /* CAIRN_SAMPLE_DISKS: paths separated by commas; "/" */
	const char *sample_gpus;  /* CAIRN_SAMPLE_GPUS: numbers separated by commas; all */

	int64_t buffer_bytes;   /* CAIRN_BUFFER_MIB (in MiB): what may wait to be sent; 64 MiB, at
				      least 1 MiB. Up to 10 MiB more are held while a batch is sent, and
				   some times its size for a row of more than 1 MiB */
	int flush_interval_ms;  /* CAIRN_FLUSH_MS: data waits at most this long; 1000 */
	int request_timeout_ms; /* CAIRN_REQUEST_TIMEOUT_MS: for one request; 30000 */
	int exit_timeout_ms;    /* CAIRN_EXIT_TIMEOUT_MS: at exit() of a run that was not finished;
				      0: nothing is done; 2000 */
};

#define CAIRN_OPTIONS_INIT \
	{ \
		.size = sizeof(struct cairn_options), .sample_interval_s = -1, .sample_pid = -1, \
		.buffer_bytes = -1, .flush_interval_ms = -1, .request_timeout_ms = -1, \
		.exit_timeout_ms = -1 \
	}

/*
 * Starts writing into a run, made or joined by the background thread: this returns at once, also
 * when the server is away. NULL options: all defaults. On failure *ret_run is NULL, which all
 * other functions accept, and cairn_last_error(NULL, …) says why; it fails only with CAIRN_SETUP,
 * CAIRN_INVALID and CAIRN_MEMORY. Proxy settings of the environment (https_proxy, no_proxy …) are
 * honoured.
 */
CAIRN_API int cairn_run_start(const struct cairn_options *options, struct cairn_run **ret_run);

/*
 * Waits until the server knows this writer. CAIRN_TIMEOUT after timeout_ms, CAIRN_REFUSED at once
 * when the server refuses. Not needed before logging.
 */
CAIRN_API int cairn_wait_joined(struct cairn_run *run, int timeout_ms);

/* A number under a name. NaN and the infinities are kept as such. */
struct cairn_metric {
	const char *name;
	double value;
};

/*
 * Adds one row of numbers to the history, with the time of this call. The server gives it the next
 * step of the run. Copies and returns: about a microsecond for ten values, never a system call but
 * to wake the sender or to take memory. Of a name given twice in one row the last value counts. The
 * names _step, _timestamp, _row and _label are reserved.
 */
CAIRN_API int cairn_log(struct cairn_run *run, size_t count, const struct cairn_metric *metrics);

/* The same with a step of your own, 0 to 2^53. */
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
 * Adds one row written as a JSON object: text, booleans and nested values too. "_step" and
 * "_timestamp" (seconds since 1970) in it stand for the row's own. The text is checked here; if it
 * is no JSON object, or repeats a name, CAIRN_INVALID is returned and nothing is kept.
 */
CAIRN_API int cairn_log_json(struct cairn_run *run, const char *object);

/* Adds one row to this writer's events, where the system metrics are. */
CAIRN_API int cairn_event(struct cairn_run *run, size_t count, const struct cairn_metric *metrics);

/*
 * Sets members of this writer's config: the inputs of the run. Members of `object` replace those
 * of the same name that were set before; the server merges the configs of all writers.
 */
CAIRN_API int cairn_config_json(struct cairn_run *run, const char *object);
CAIRN_API int cairn_config_number(struct cairn_run *run, const char *name, double value);
CAIRN_API int cairn_config_text(struct cairn_run *run, const char *name, const char *value);

/* Sets members of the run's summary, over the last logged values. */
CAIRN_API int cairn_summary_json(struct cairn_run *run, const char *object);
CAIRN_API int cairn_summary_number(struct cairn_run *run, const char *name, double value);
CAIRN_API int cairn_summary_text(struct cairn_run *run, const char *name, const char *value);

/*
 * Adds to the run's console, as a terminal would take it: any bytes, not only whole lines. A line
 * ends at a line feed; a carriage return starts it again, so a progress bar is one line. Bytes
 * that are not UTF-8 are replaced. A line that does not end is sent as it is and completed later.
 * CAIRN_FULL: at least one line of these was dropped.
 */
CAIRN_API int cairn_console(struct cairn_run *run, enum cairn_stream stream, const char *bytes,
			    size_t count);

/*
 * Tells others, now: the alert is kept with the run, and sent on to where its project has alerts sent to. The
 * title has 1 to 256 bytes, the text at most 16 KiB; it may be NULL. Of one title the server tells nothing more for
 * a minute, and only counts how often it came. At most 100 wait to be sent; then CAIRN_FULL. One that the server
 * refuses, or fails at 12 times while it takes other things, is given up and counted in alerts_unsent.
 */
enum cairn_alert_level { CAIRN_ALERT_INFO = 1, CAIRN_ALERT_WARN, CAIRN_ALERT_ERROR };
CAIRN_API int cairn_alert(struct cairn_run *run, enum cairn_alert_level level, const char *title,
			  const char *text);

/* Waits until all that was logged before the call is stored; CAIRN_TIMEOUT, CAIRN_REFUSED. */
CAIRN_API int cairn_flush(struct cairn_run *run, int timeout_ms);

/* What cairn_finish() could not do. All zero: everything was stored. */
struct cairn_report {
	uint64_t history_unsent; /* rows the server did not confirm (a few of them it may have) */
	uint64_t events_unsent;
	uint64_t console_unsent; /* lines */
	uint64_t history_lost;   /* rows dropped when the buffer was full, or refused one by one */
	uint64_t events_lost;
	uint64_t console_lost;
	uint64_t alerts_unsent;
	uint64_t
		values_left_out; /* of rows it confirmed: what it could not keep; the run's page names it */
	bool documents_unsent; /* the last config or summary */
	bool end_unsent;       /* the server does not know that this writer has ended */
	char error[256];       /* the last error, in words; empty: none */
};

/*
 * Sends what is left and ends this writer; a primary's exit code (-255 to 255) decides how the run
 * ends (0: finished, else failed). Blocks for at most timeout_ms, then stops sending: CAIRN_TIMEOUT, or
 * CAIRN_REFUSED. ret_report may be NULL. Later calls on the run return CAIRN_FINISHED; a second
 * finish gives the first one's result. Free the run with cairn_run_free(), or let it stand.
 */
CAIRN_API int cairn_finish(struct cairn_run *run, int exit_code, int timeout_ms,
			   struct cairn_report *ret_report);

/*
 * Gives back what the run holds. A run that was not finished stops without telling the server. No
 * other call on this run may be in progress or follow. Does not wait for the network.
 */
CAIRN_API void cairn_run_free(struct cairn_run *run);

/* Known at once; they live as long as the run. "" for NULL. */
CAIRN_API const char *cairn_run_id(const struct cairn_run *run);
CAIRN_API const char *cairn_client_id(const struct cairn_run *run);
CAIRN_API const char *cairn_label(const struct cairn_run *run);

/*
 * Writes the address of the run's page for the browser into text (always terminated, cut to size) and
 * returns its full length, as snprintf does; at most the server's address and 3,200 bytes. Length 0
 * until the entity is known: at once when the project was given as "entity/project", else when the
 * writer has joined.
 */
CAIRN_API size_t cairn_run_url(struct cairn_run *run, char *text, size_t size);

/* True once somebody asked the server to stop this run: save your work and finish. Cheap. */
CAIRN_API bool cairn_should_stop(const struct cairn_run *run);

struct cairn_stream_stats {
	uint64_t accepted; /* taken by a call */
	uint64_t stored;   /* confirmed by the server */
	uint64_t dropped;  /* buffer full or no memory; not part of accepted */
	uint64_t refused;  /* taken, but the server would not have them */
	uint64_t queued;   /* accepted - stored - refused */
};

struct cairn_stats {
	struct cairn_stream_stats history, events, console;
	uint64_t batches;      /* confirmed */
	uint64_t retries;      /* requests that had to be sent again */
	uint64_t joins;        /* more than one: the session was renewed */
	uint64_t buffer_bytes; /* held now */
	bool joined;
};

CAIRN_API void cairn_stats(struct cairn_run *run, struct cairn_stats *ret_stats);

/*
 * Copies the last error in words, as cairn_run_url() copies. For NULL: why the last
 * cairn_run_start() in this thread failed.
 */
CAIRN_API size_t cairn_last_error(struct cairn_run *run, char *text, size_t size);

/* "full": the name of a result. */
CAIRN_API const char *cairn_result_name(int result);

CAIRN_API const char *cairn_version(void);

#ifdef __cplusplus
}
#endif

#endif
