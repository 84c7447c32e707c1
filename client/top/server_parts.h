#ifndef SERVER_PARTS_H
#define SERVER_PARTS_H

#include "api.h"
#include "live_line.h"
#include "source.h"

/*
 * A server's data in parts, each read by one GET. Live events only say which parts have changed, so a first look, a change
 * and a reconnection are the same: parts are read. A part is read again once a second at most, and less often if reading
 * takes long.
 */
enum server_part {
	PART_RUNS,
	PART_WRITERS, /* before the devices: it has their hosts */
	PART_METRICS,
	PART_CHARTS,
	PART_DEVICES,
	PART_CONSOLE,
	PARTS
};

#define PART_BIT(part) (1u << (part))
#define PARTS_ALL ((1u << PARTS) - 1)
#define PARTS_OF_RUN (PARTS_ALL & ~PART_BIT(PART_RUNS))

struct writer_host {
	double number;
	char *host;
};

struct server_source {
	struct top_source source;
	const struct cli *cli;
	const char *target;
	struct api api;
	struct feed *feed;
	struct live_line *line;
	struct wants wants;
	bool is_run;              /* of one run, not of a project */
	bool is_resolved;         /* the target was found */
	char run[WANTS_RUN_SIZE]; /* that is shown */
	char **device_keys;
	size_t device_key_count;
	int64_t device_keys_us; /* when they were read */
	struct writer_host *hosts;
	size_t host_count;
	unsigned dirty;
	unsigned was_read; /* parts of what is shown */
	int64_t due_us[PARTS];
	int64_t retry_us; /* after a failure; 0: none */
	int failures;
	int64_t poll_us; /* without live events */
};

/* Reads a part into the model. What api_try() returned; EXIT_REFUSED also for an answer of another form. */
int server_read(struct server_source *server, enum server_part part) __attribute__((nonnull));

/* For server_read(): a GET of the shown run, or of the project. */
int server_get_run(struct server_source *server, const char *tail, const char *expected)
	__attribute__((nonnull));
int server_get_project(struct server_source *server, const char *tail, const char *expected)
	__attribute__((nonnull));

int server_read_runs(struct server_source *server) __attribute__((nonnull));
int server_read_charts(struct server_source *server) __attribute__((nonnull));
int server_read_metrics(struct server_source *server) __attribute__((nonnull));
int server_read_devices(struct server_source *server) __attribute__((nonnull));

void server_forget_run(struct server_source *server) __attribute__((nonnull));

/* Appends a metric's name as an element of `keys` in a query. */
void server_add_key(struct text *query, const char *key) __attribute__((nonnull));

#endif
