#include "verify_run.h"

#include <stdarg.h>
#include <string.h>

#include "metric_cache.h"
#include "run_store.h"

/* ---- telling ---------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *advice;
} parts[] = {
	[VERIFY_CHUNK] = { "chunk", "values are lost: restore the run from a backup" },
	[VERIFY_ROLLUP] = { "rollup", "the values are intact, but charts of them may be wrong: "
				      "restore the run from a backup" },
	[VERIFY_TAIL] = { "tail", "rows are lost or hidden: restore the run from a backup" },
	[VERIFY_KEYS] = { "key list",
			  "the values are intact, but the list of keys and the summary may be "
			  "wrong: restore the run from a backup" },
	[VERIFY_CONSOLE] = { "console", "lines are lost: restore the run from a backup" },
	[VERIFY_ROWS] = { "rows", "rows are lost, duplicated or mixed up: restore the run from "
				  "a backup" },
	[VERIFY_COUNTER] = { "counter",
			     "stored data is intact, but new data may be damaged: stop the "
			     "run's writers and restore the run from a backup" },
	[VERIFY_WRITER] = { "writer", "a repeated batch may be stored twice: let the writer join "
				      "again" },
	[VERIFY_STATE] = { "state",
			   "the history of its states is incomplete: set the state by hand" },
	[VERIFY_DOCUMENT] = { "document",
			      "config, summary or search may be wrong: send or edit the document "
			      "again" },
	[VERIFY_DIRECTORY] = { "directory", "the run or its names cannot be found: restore the "
					    "database from a backup" },
	[VERIFY_FILE] = { "file", "upload the file again, or restore its content from a backup" },
	[VERIFY_ALERT] = { "alert",
			   "alerts may be lost or not sent: restore the run from a backup" },
	[VERIFY_ARTIFACT] = { "artifact",
			      "files of versions are lost or wrong: upload them as a new version, or "
			      "restore them from a backup" },
	[VERIFY_SWEEP] = { "sweep",
			   "the sweep may hand out points twice or not at all: begin a new one with "
			   "its runs as prior runs, or restore it from a backup" },
	[VERIFY_ROW] = { "row", "the row was changed by hand or is damaged: restore it from a "
				"backup" },
	[VERIFY_STORAGE] = { "storage", "PostgreSQL cannot read it: check the disk, then "
					"restore the database from a backup" },
};

const char *verify_part_name(enum verify_part part)
{
	return parts[part].name;
}

const char *verify_advice(enum verify_part part)
{
	return parts[part].advice;
}

static const char *stream_name(int16_t stream)
{
	static const char *const names[] = { NULL, "history", "events", "console" };

	return stream >= 0 && stream < (int16_t)(sizeof(names) / sizeof(names[0])) ? names[stream]
										   : NULL;
}

/* Its number, if the name cannot be read. */
static struct str key_name(struct verify_run *v, int32_t key_id)
{
	struct str name = { NULL, 0 };

	if (!key_id)
		return name;
	if (!db_is_up(v->db) ||
	    metric_cache_names(v->metrics, v->db, v->item->project_id, &key_id, 1, &name) ||
	    !name.len)
		return str_of(arena_printf(v->answer, "number %d", key_id));
	return name;
}

/* True also if the database does not answer, for which the run has an error. */
bool verify_has_name(struct verify_run *v, uint32_t key_id)
{
	struct arena *own = db_arena(v->db);
	int32_t id = (int32_t)key_id;
	struct arena *scratch;
	struct str name;
	bool has;

	if (key_id < 1 || key_id >= (uint32_t)v->told.key_limit)
		return false;
	scratch = arena_new(1024);
	db_set_arena(v->db, scratch);
	has = metric_cache_names(v->metrics, v->db, v->item->project_id, &id, 1, &name) || name.len;
	db_set_arena(v->db, own);
	arena_free(scratch);
	return has;
}

void verify_tell(struct verify_run *v, const struct verify_location *location, const char *fmt, ...)
{
	const struct writer_tally *writer = verify_writer(v, location->writer);
	struct verify_fault fault = {
		.part = location->part,
		.run = v->item,
		.stream = stream_name(location->stream),
		.writer = location->writer,
		.label = writer ? writer->label : (struct str){ NULL, 0 },
	};
	va_list ap;

	if (v->sum.faults++ >= VERIFY_FAULTS_TOLD)
		return;
	va_start(ap, fmt);
	fault.message = arena_vprintf(v->answer, fmt, ap);
	va_end(ap);
	if (location->part != VERIFY_STORAGE) /* then the transaction has failed */
		fault.key = key_name(v, location->key_id);
	pthread_mutex_lock(v->fault_lock);
	v->ask->fault(v->ask->p, &fault);
	pthread_mutex_unlock(v->fault_lock);
}

struct writer_tally *verify_writer(struct verify_run *v, int32_t lane)
{
	if (lane < 0 || (size_t)lane >= v->writer_count || !v->writers[lane].is_there)
		return NULL;
	return &v->writers[lane];
}

/* ---- a run ------------------------------------------------------------------------------------ */

/* Reads what needs the tail's lock. False: the run is purged. */
static err_t read_tail(struct verify_run *v, bool *ret_there)
{
	struct run *hot;
	size_t count;
	err_t e;

	*ret_there = false;
	db_set_arena(v->db, v->arena);
	e = run_store_list(v->db, &v->item->run_id, 1, &hot, &count);
	if (e || !count || hot->purging)
		return e;
	v->hot = hot;
	*ret_there = true;
	e = verify_store_told(v->db, v->item->run_id, &v->told);
	db_set_arena(v->db, v->answer);
	if (!e)
		e = verify_writers(v);
	return e ? e : verify_tail(v);
}

static err_t read_all(struct verify_run *v)
{
	bool there;
	err_t e;

	e = verify_store_tail_begin(v->db);
	if (!e)
		e = read_tail(v, &there);
	if (!e)
		e = verify_store_tail_end(v->db);
	if (e || !there)
		return e;
	e = verify_values(v);
	if (!e)
		e = verify_orphans(v);
	if (!e)
		e = verify_console(v);
	if (e)
		return e;
	verify_counts(v);
	e = verify_branches(v);
	if (!e)
		e = verify_records(v);
	if (!e)
		e = verify_alerts(v);
	if (!e)
		e = verify_file_count(v);
	return e ? e : verify_rows(v);
}

/* Whether PostgreSQL found its own files damaged: class XX of its errors. */
static bool is_storage_fault(struct db *db, err_t e)
{
	while (e->cause && !e->sqlstate)
		e = e->cause;
	return db_is_up(db) && e->sqlstate && strncmp(e->sqlstate, "XX", 2) == 0;
}

err_t verify_run(struct verify_run *v)
{
	const struct verify_location storage = { .part = VERIFY_STORAGE, .writer = -1 };
	err_t e;

	db_set_arena(v->db, v->answer);
	e = db_begin_snapshot(v->db, 0);
	if (!e)
		e = read_all(v);
	db_set_arena(v->db, v->answer);
	if (e && is_storage_fault(v->db, e)) {
		verify_tell(v, &storage, "%s", err_chain(v->answer, e));
		e = NULL;
	}
	db_rollback(v->db);
	return e ? e : verify_files(v);
}
