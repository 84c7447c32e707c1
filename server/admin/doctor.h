#ifndef DOCTOR_H
#define DOCTOR_H

#include "clocks.h"
#include "config.h"
#include "db.h"
#include "server_store.h"

/*
 * The checks of "cairnd doctor"; the table of them is in doctor_command.c.
 * A check examines one thing and changes nothing. It returns one line with
 * its finding and, unless that is good, one with the remedy.
 */
enum doctor_state { DOCTOR_GOOD, DOCTOR_SKIPPED, DOCTOR_WARNING, DOCTOR_PROBLEM };

struct doctor_finding {
	enum doctor_state state;
	const char *text;
	const char *remedy; /* NULL: there is nothing to do */
};

struct doctor {
	struct arena *arena;
	const struct config *config;
	struct db *db;                    /* NULL: it cannot be reached, or does not run */
	struct doctor_finding connection; /* the result of connecting to it */
	struct server_health health;      /* of the database */
	int64_t certificate_until_s;      /* of the server that answers; 0: not known */
	struct clocks clocks;
};

/* Connects to the database once, without waiting. The connection ends with the arena. */
void doctor_connect(struct doctor *d);

/* ---- findings; text and remedy are of the arena, or literals ---- */
struct doctor_finding doctor_good(struct doctor *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
struct doctor_finding doctor_skipped(struct doctor *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
struct doctor_finding doctor_warning(struct doctor *d, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
struct doctor_finding doctor_problem(struct doctor *d, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A problem from an error; its hint is the remedy, else `remedy` is. */
struct doctor_finding doctor_failed(struct doctor *d, err_t e, const char *remedy);

/* ---- doctor_host.c ---- */
struct doctor_finding doctor_server(struct doctor *d);
struct doctor_finding doctor_data_dir(struct doctor *d);
struct doctor_finding doctor_secret(struct doctor *d);
struct doctor_finding doctor_secret_files(struct doctor *d);
struct doctor_finding doctor_disk_of_data(struct doctor *d);
struct doctor_finding doctor_disk_of_files(struct doctor *d);
struct doctor_finding doctor_disk_of_backups(struct doctor *d);
struct doctor_finding doctor_open_files(struct doctor *d);
struct doctor_finding doctor_certificate(struct doctor *d);
struct doctor_finding doctor_backup(struct doctor *d);

/* ---- doctor_database.c; all but the first need the database ---- */
struct doctor_finding doctor_database(struct doctor *d);
struct doctor_finding doctor_schema(struct doctor *d);
struct doctor_finding doctor_durability(struct doctor *d);
struct doctor_finding doctor_connections(struct doctor *d);
struct doctor_finding doctor_slots(struct doctor *d);
struct doctor_finding doctor_clock(struct doctor *d);
struct doctor_finding doctor_versions(struct doctor *d);

#endif
