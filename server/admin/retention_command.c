/* cairnd retention … */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "buf.h"
#include "commands.h"
#include "directory.h"
#include "listing.h"
#include "project_store.h"

enum { AT_ONCE = 1000, OPTIONS = 4 };
#define FOREVER "forever"

/* An option for each way to end. */
static const struct {
	const char *option;
	size_t days;
} rules[OPTIONS] = {
	{ "finished", offsetof(struct project, keep_finished_days) },
	{ "failed", offsetof(struct project, keep_failed_days) },
	{ "crashed", offsetof(struct project, keep_crashed_days) },
	{ "killed", offsetof(struct project, keep_killed_days) },
};

static int32_t *days_of(struct project *project, size_t rule)
{
	return (int32_t *)((char *)project + rules[rule].days);
}

static err_t read_days(struct arena *a, const char *option, const char *text, int32_t *ret_days)
{
	int64_t days;

	if (str_is(str_of(text), FOREVER)) {
		*ret_days = 0;
		return NULL;
	}
	if (!str_to_int64(str_of(text), 1, PROJECT_KEEP_MAX_DAYS, &days))
		return err_new(a, ERR_INVALID,
			       "\"--%s\" must be a number of days from 1 to %d, or " FOREVER
			       ", not \"%s\"",
			       option, PROJECT_KEEP_MAX_DAYS, text);
	*ret_days = (int32_t)days;
	return NULL;
}

/* Rules without an option stay. */
static err_t read_rules(struct command_call *call, struct project *project)
{
	bool given = false;

	for (size_t i = 0; i < OPTIONS; i++) {
		const char *text = command_option(call, rules[i].option);
		err_t e = text ? read_days(call->arena, rules[i].option, text, days_of(project, i))
			       : NULL;

		if (e)
			return e;
		given |= text != NULL;
	}
	if (given)
		return NULL;
	return err_new(call->arena, ERR_INVALID,
		       "\"%s\" requires --finished, --failed, --crashed or --killed",
		       call->command->words);
}

/* Records the given options, as in the command line. */
static err_t note(struct command_call *call, struct directory *d, const struct project *project)
{
	struct buf *words = buf_new(call->arena);
	struct audit_entry event = { .entity = project->entity, .project = project->name };

	for (size_t i = 0; i < OPTIONS; i++) {
		const char *text = command_option(call, rules[i].option);

		if (text)
			buf_printf(words, "%skeep %s %s", words->len ? ", " : "", rules[i].option,
				   text);
	}
	event.detail = buf_str(words);
	return directory_note(d, AUDIT_PROJECT_CHANGE, &event);
}

err_t retention_command_set(struct command_call *call)
{
	struct project ignored = { .project_id = 0 };
	struct project *project = NULL;
	struct directory d;
	int64_t project_id;
	err_t e = read_rules(call, &ignored);

	if (!e)
		e = directory_begin(call, &d);
	if (!e)
		e = directory_find_project(call->arena, d.db, call->argument[0], &project_id);
	if (!e)
		e = project_store_lock(d.db, project_id, &project);
	if (!e && !project)
		e = err_new(call->arena, ERR_NOT_FOUND, "the project \"%s\" was deleted",
			    call->argument[0]);
	if (!e)
		e = read_rules(call, project);
	if (!e)
		e = project_store_save(d.db, project, d.now);
	if (!e)
		e = note(call, &d, project);
	return e ? e : directory_commit(&d);
}

/* ---- list -------------------------------------------------------------------------------------- */

static struct str days_text(struct arena *a, int32_t days)
{
	if (!days)
		return STR(FOREVER);
	return str_of(arena_printf(a, "%" PRId32 " day%s", days, days == 1 ? "" : "s"));
}

/* A project that keeps everything is left out. */
static void add(struct arena *a, struct listing *listing, struct project *project)
{
	int32_t all = 0;

	for (size_t i = 0; i < OPTIONS; i++)
		all += *days_of(project, i);
	if (!all)
		return;
	listing_add(listing, str_of(arena_printf(a, "%.*s/%.*s", STR_ARG(project->entity),
						 STR_ARG(project->name))));
	for (size_t i = 0; i < OPTIONS; i++)
		listing_add(listing, days_text(a, *days_of(project, i)));
}

err_t retention_command_list(struct command_call *call)
{
	static const char *const head[] = { "PROJECT", "FINISHED", "FAILED",
					    "CRASHED", "KILLED",   NULL };
	struct project_list ask = { .all = true, .limit = AT_ONCE };
	struct listing *listing = listing_new(call->arena, head);
	struct project *projects;
	struct directory d;
	size_t count = 0;
	err_t e = directory_begin(call, &d);

	do {
		if (!e)
			e = project_store_list(d.db, &ask, &projects, &count);
		for (size_t i = 0; i < count && !e; i++)
			add(call->arena, listing, &projects[i]);
		if (!e && count) {
			ask.after_entity = projects[count - 1].entity;
			ask.after_name = projects[count - 1].name;
		}
	} while (!e && count == AT_ONCE);
	if (e)
		return e;
	listing_print(listing, stdout);
	return directory_commit(&d);
}
