/*
 * cairnd doctor: whether this host and its database are as a server needs them. Checks that need
 * the database are skipped if it is away, and the rest goes on.
 */
#include "doctor.h"

#include <stdarg.h>
#include <stdio.h>

#include "buf.h"
#include "commands.h"
#include "json_out.h"
#include "log.h"

enum { EXIT_PROBLEM = 1, EXIT_WARNING = 2 };

static const struct check {
	const char *name;
	struct doctor_finding (*look)(struct doctor *d);
	bool needs_database;
} checks[] = {
	{ "server", doctor_server },
	{ "data directory", doctor_data_dir },
	{ "secret", doctor_secret },
	{ "secret files", doctor_secret_files },
	{ "disk of data_dir", doctor_disk_of_data },
	{ "disk of files_dir", doctor_disk_of_files },
	{ "disk of backup_dir", doctor_disk_of_backups },
	{ "open files", doctor_open_files },
	{ "certificate", doctor_certificate },
	{ "backup", doctor_backup },
	{ "database", doctor_database },
	{ "schema", doctor_schema, .needs_database = true },
	{ "durability", doctor_durability, .needs_database = true },
	{ "connections", doctor_connections, .needs_database = true },
	{ "replication slots", doctor_slots, .needs_database = true },
	{ "clock", doctor_clock, .needs_database = true },
	{ "versions", doctor_versions, .needs_database = true },
};
enum { CHECKS = sizeof(checks) / sizeof(checks[0]) };

/* ---- findings ----------------------------------------------------------------------------------- */

static struct doctor_finding make(struct doctor *d, enum doctor_state state, const char *remedy,
				  const char *format, va_list args)
	__attribute__((format(printf, 4, 0)));

static struct doctor_finding make(struct doctor *d, enum doctor_state state, const char *remedy,
				  const char *format, va_list args)
{
	return (struct doctor_finding){ state, arena_vprintf(d->arena, format, args), remedy };
}

struct doctor_finding doctor_good(struct doctor *d, const char *format, ...)
{
	struct doctor_finding made;
	va_list args;

	va_start(args, format);
	made = make(d, DOCTOR_GOOD, NULL, format, args);
	va_end(args);
	return made;
}

struct doctor_finding doctor_skipped(struct doctor *d, const char *format, ...)
{
	struct doctor_finding made;
	va_list args;

	va_start(args, format);
	made = make(d, DOCTOR_SKIPPED, NULL, format, args);
	va_end(args);
	return made;
}

struct doctor_finding doctor_warning(struct doctor *d, const char *remedy, const char *format, ...)
{
	struct doctor_finding made;
	va_list args;

	va_start(args, format);
	made = make(d, DOCTOR_WARNING, remedy, format, args);
	va_end(args);
	return made;
}

struct doctor_finding doctor_problem(struct doctor *d, const char *remedy, const char *format, ...)
{
	struct doctor_finding made;
	va_list args;

	va_start(args, format);
	made = make(d, DOCTOR_PROBLEM, remedy, format, args);
	va_end(args);
	return made;
}

struct doctor_finding doctor_failed(struct doctor *d, err_t e, const char *remedy)
{
	for (const struct err *cause = e; cause; cause = cause->cause) {
		if (cause->hint)
			remedy = cause->hint;
	}
	return doctor_problem(d, remedy, "%s", err_chain(d->arena, e));
}

/* ---- output ------------------------------------------------------------------------------------- */

static void print_text(const struct check *check, const struct doctor_finding *f)
{
	static const char *const marks[] = {
		[DOCTOR_GOOD] = "ok",
		[DOCTOR_SKIPPED] = "-",
		[DOCTOR_WARNING] = "WARN",
		[DOCTOR_PROBLEM] = "FAIL",
	};

	printf("%-5s %-18s %s\n", marks[f->state], check->name, f->text);
	if (f->remedy)
		printf("%-24s %s\n", "", f->remedy);
}

static void print_json(const struct check *check, const struct doctor_finding *f)
{
	static const char *const words[] = {
		[DOCTOR_GOOD] = "good",
		[DOCTOR_SKIPPED] = "skipped",
		[DOCTOR_WARNING] = "warning",
		[DOCTOR_PROBLEM] = "problem",
	};
	struct buf line = { 0 };
	struct json_out o = json_out_begin(&line);

	json_out_object(&o);
	json_out_put_text(&o, "check", str_of(check->name));
	json_out_put_text(&o, "state", str_of(words[f->state]));
	json_out_put_text(&o, "text", str_of(f->text));
	json_out_put_text_or_null(&o, "remedy", str_of(f->remedy));
	json_out_object_end(&o);
	printf("%.*s\n", STR_ARG(buf_str(&line)));
	buf_free(&line);
}

static struct doctor_finding look(struct doctor *d, const struct check *check)
{
	if (check->needs_database && !d->db)
		return doctor_skipped(d, "skipped: no connection to the database");
	return check->look(d);
}

err_t doctor_command(struct command_call *call)
{
	struct doctor d = { .arena = call->arena, .config = call->config };
	bool json = command_option(call, "json") != NULL;
	enum doctor_state worst = DOCTOR_GOOD;

	log_set(LOG_ERROR, (enum log_format)call->config->log_format);
	doctor_connect(&d);
	for (size_t i = 0; i < CHECKS; i++) {
		struct doctor_finding f = look(&d, &checks[i]);

		if (json)
			print_json(&checks[i], &f);
		else
			print_text(&checks[i], &f);
		fflush(stdout);
		worst = f.state > worst ? f.state : worst;
	}
	call->status = worst == DOCTOR_PROBLEM   ? EXIT_PROBLEM
		       : worst == DOCTOR_WARNING ? EXIT_WARNING
						 : 0;
	return NULL;
}
