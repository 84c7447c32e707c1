#include "sweep_make.h"

#include <stdlib.h>

#include "app.h"
#include "arena.h"
#include "artifact_target.h"
#include "audit_note.h"
#include "auth.h"
#include "id.h"
#include "json_doc.h"
#include "json_out.h"
#include "project_store.h"
#include "run_target.h"
#include "run_view.h"
#include "sweep_controller.h"
#include "sweep_observe.h"
#include "sweep_space.h"
#include "sweep_work.h"

/* ---- configs -------------------------------------------------------------------------------------- */

void sweep_check(struct arena *a, struct str config, struct sweep_checked *ret_checked)
{
	*ret_checked = (struct sweep_checked){ .config = NULL };
	if (sweep_config_read(a, config, &ret_checked->config, &ret_checked->faults)) {
		ret_checked->config = NULL;
		return;
	}
	ret_checked->count = sweep_space_count(sweep_space_new(a, ret_checked->config));
}

static void warn_of_place(struct request *q, const char *key, const struct sweep_place *place,
			  struct str used, struct sweep_faults *faults)
{
	if (!place->name.len || str_equal(place->name, used))
		return;
	sweep_fault_add(q->arena, faults,
			(struct sweep_fault){
				.line = place->line,
				.column = place->column,
				.path = str_of(key),
				.text = str_of(arena_printf(
					q->arena, "\"%.*s\" is not used: the sweep is in \"%.*s\"",
					STR_ARG(str_head(place->name, 100)), STR_ARG(used))),
			});
}

void sweep_check_place(struct request *q, const struct sweep_config *c, struct sweep_faults *faults)
{
	warn_of_place(q, "entity", &c->entity, q->target->entity, faults);
	warn_of_place(q, "project", &c->project, q->target->project, faults);
}

/* wandb sweep reads both itself, and what its user sets instead is not in doubt. wandb.sweep() does not read the entity. */
static void check_place(struct request *q, const struct sweep_make_asked *asked,
			const struct sweep_config *c, struct sweep_faults *faults)
{
	if (!asked->is_of_wandb)
		sweep_check_place(q, c, faults);
	else if (!asked->names_entity)
		warn_of_place(q, "entity", &c->entity, q->target->entity, faults);
}

err_t sweep_read_config(struct request *q, const struct sweep *s,
			const struct sweep_config **ret_config)
{
	struct sweep_faults faults;
	err_t e = sweep_config_read(q->arena, s->config, ret_config, &faults);

	if (!e)
		return NULL;
	return err_new(q->arena, ERR_CONFLICT,
		       "this server cannot read the config of the sweep: %s", e->message);
}

/* ---- prior runs ----------------------------------------------------------------------------------- */

struct names {
	struct str *at;
	size_t count;
};

static err_t bad_prior(struct request *q)
{
	return err_field(q->arena, ERR_INVALID, "prior_runs",
			 "expected {\"$or\": [{\"name\": \"RUN\"}, ...]}, at most %d runs",
			 SWEEP_PRIOR_MAX);
}

static err_t read_names(struct request *q, struct str filter, struct names *ret_names)
{
	const struct json_doc *doc, *list;
	err_t e = json_doc_parse(q->arena, filter, &doc);

	list = e ? NULL : json_doc_get_named(doc, "$or");
	if (!list || !json_doc_is(list, JSON_KIND_ARRAY) || list->count > SWEEP_PRIOR_MAX)
		return bad_prior(q);
	ret_names->at = arena_new_array(q->arena, struct str, list->count + 1);
	for (size_t i = 0; i < list->count; i++) {
		const struct json_doc *name = json_doc_get_named(list->items[i], "name");

		if (!name || !json_doc_is(name, JSON_KIND_STRING))
			return bad_prior(q);
		ret_names->at[ret_names->count++] = name->text;
	}
	return NULL;
}

static struct str write_filter(struct request *q, const struct names *names)
{
	struct buf *text = buf_new(q->arena);
	struct json_out o = json_out_begin(text);

	json_out_object(&o);
	json_out_key(&o, "$or");
	json_out_array(&o);
	for (size_t i = 0; i < names->count; i++) {
		json_out_object(&o);
		json_out_put_text(&o, "name", names->at[i]);
		json_out_object_end(&o);
	}
	json_out_array_end(&o);
	json_out_object_end(&o);
	return buf_str(text);
}

static bool is_private(const struct request *q, const struct run_info *info)
{
	return !access_sees(q->target->sees_private, q->target->visibility,
			    (enum visibility)info->visibility);
}

static int by_name(const void *a, const void *b)
{
	return str_compare(((const struct run_info *)a)->name, ((const struct run_info *)b)->name);
}

/* Each run once, in the order in which they were named. They are read later: see sweep_observe_prior(). */
static err_t add_prior(struct sweep_work *w, const struct names *names)
{
	struct request *q = w->q;
	struct str *run_names = arena_new_array(q->arena, struct str, names->count + 1);
	int64_t *run_ids = arena_new_array(q->arena, int64_t, names->count + 1);
	struct run_info *infos;
	size_t found, count = 0;
	err_t e;

	if (!names->count)
		return NULL;
	e = run_store_list_named(q->db, q->target->project_id, names->at, names->count, &infos,
				 &found);
	if (e)
		return e;
	qsort(infos, found, sizeof(*infos), by_name);
	for (size_t i = 0; i < names->count; i++) {
		const struct run_info key = { .name = names->at[i] };
		struct run_info *info = bsearch(&key, infos, found, sizeof(key), by_name);

		if (!info || info->deleted_at.us || is_private(q, info))
			return err_field(q->arena, ERR_INVALID, "prior_runs",
					 "the run \"%.*s\" does not exist in this project",
					 STR_ARG(key.name));
		if (!info->run_id)
			continue; /* it was named before */
		run_names[count] = info->name;
		run_ids[count++] = info->run_id;
		info->run_id = 0;
	}
	return sweep_store_insert_prior(q->db, w->sweep, run_names, run_ids, count);
}

/* ---- sweeps --------------------------------------------------------------------------------------- */

struct making {
	int64_t project_id; /* 0: it did not exist before */
	const struct sweep_make_asked *asked;
	const struct sweep_config *config;
	struct names prior;
	struct str prior_runs;
	struct sweep *sweep;
	bool was_made;
};

static err_t check_texts(struct request *q, const struct sweep_make_asked *asked)
{
	if (asked->display_name.len > SWEEP_TITLE_MAX)
		return err_field(q->arena, ERR_INVALID, "display_name", "expected at most %d bytes",
				 SWEEP_TITLE_MAX);
	if (asked->description.len > SWEEP_DESCRIPTION_MAX)
		return err_field(q->arena, ERR_INVALID, "description", "expected at most %d bytes",
				 SWEEP_DESCRIPTION_MAX);
	if (asked->controller.len > SWEEP_CONTROLLER_MAX)
		return err_field(q->arena, ERR_INVALID, "controller", "expected at most %d bytes",
				 SWEEP_CONTROLLER_MAX);
	if (asked->scheduler.len > SWEEP_CONTROLLER_MAX)
		return err_field(q->arena, ERR_INVALID, "scheduler", "expected at most %d bytes",
				 SWEEP_CONTROLLER_MAX);
	return NULL;
}

static err_t read_prior(struct request *q, struct making *m)
{
	const struct sweep_make_asked *asked = m->asked;

	if (asked->prior_runs.len) {
		m->prior_runs = asked->prior_runs;
		return read_names(q, asked->prior_runs, &m->prior);
	}
	if (asked->prior_count > SWEEP_PRIOR_MAX)
		return bad_prior(q);
	m->prior.at = arena_copy(q->arena, asked->prior_names,
				 asked->prior_count * sizeof(*asked->prior_names));
	m->prior.count = asked->prior_count;
	if (m->prior.count)
		m->prior_runs = write_filter(q, &m->prior);
	return NULL;
}

static struct sweep *new_sweep(struct request *q, const struct making *m)
{
	struct sweep *s = arena_new_of(q->arena, struct sweep);
	char *name = arena_alloc(q->arena, SWEEP_NAME_LEN + 1);

	id_text(name, SWEEP_NAME_LEN);
	*s = (struct sweep){
		.project_id = q->target->project_id,
		.sweep_id = id_snowflake(),
		.name = { name, SWEEP_NAME_LEN },
		.prior_runs = m->prior_runs,
		.created_at = q->now,
		.state = m->asked->state ? m->asked->state : SWEEP_STATE_PENDING,
		.state_at = q->now,
		.config = m->asked->config,
		.method = (int16_t)m->config->method,
		.seed = m->config->seed,
		.display_name = m->asked->display_name,
		.description = m->asked->description,
		.changed_at = q->now,
		.controller = m->asked->controller,
		.scheduler = m->asked->scheduler,
		.next_trial = 1,
		.look_at = { q->now.us + (m->prior.count ? 0 : SWEEP_LOOK_US) },
	};
	if (!m->config->has_seed) {
		id_random(&s->seed, sizeof(s->seed));
		s->seed &= INT32_MAX; /* easy to copy, and exact in JavaScript */
	}
	return s;
}

static err_t fill(struct request *q, struct making *m)
{
	struct sweep_work w = {
		.q = q,
		.sweep = m->sweep,
		.config = m->config,
		.ask = {
			.reader = run_view_reader(q),
			.config = m->config,
			.now = q->now,
			.lost_us = q->app->config->sweep_agent_lost_s * 1000000,
		},
	};
	err_t e = add_prior(&w, &m->prior);

	return e ? e : sweep_controller_apply(&w);
}

static err_t find_same(struct request *q, const struct making *m, const struct sweep *wanted,
		       struct sweep **ret_sweep)
{
	bool is_of_wandb = m->asked->is_of_wandb;
	int64_t within_us = is_of_wandb ? SWEEP_SAME_WANDB_US : SWEEP_SAME_US;

	return sweep_store_find_same(q->db, wanted, (timestamp_us){ q->now.us - within_us },
				     is_of_wandb ? SWEEP_LIKE_WHAT_IS_GIVEN : SWEEP_LIKE_ALL,
				     ret_sweep);
}

/* One of two equal requests waits, and sees the other's sweep. Runs are made meanwhile: the project is only held. */
static err_t make(struct request *q, const void *arg)
{
	struct making *m = *(struct making *const *)arg;
	struct sweep *wanted;
	bool made_project;
	err_t e;

	m->sweep = NULL;
	m->was_made = false;
	q->target->project_id = m->project_id; /* of an attempt that was rolled back */
	e = run_target_make_project(q, &made_project);
	if (!e)
		e = project_store_hold(q->db, q->target->project_id);
	if (!e)
		e = sweep_store_lock_same(q->db, q->target->project_id, m->asked->config);
	if (e)
		return e;
	wanted = new_sweep(q, m);
	e = auth_attributed_user(q, &wanted->created_by);
	if (!e)
		e = find_same(q, m, wanted, &m->sweep);
	if (e || m->sweep)
		return e;
	m->sweep = wanted;
	m->was_made = true;
	e = sweep_store_insert(q->db, wanted);
	if (!e)
		e = fill(q, m);
	if (!e)
		e = audit_note(q, &(struct audit_event){ .action = AUDIT_SWEEP_MAKE,
							 .subject = wanted->name });
	return e;
}

err_t sweep_make(struct request *q, const struct sweep_make_asked *asked,
		 struct sweep_made *ret_made)
{
	struct making m = { .asked = asked, .project_id = q->target->project_id };
	struct making *arg = &m;
	err_t e = sweep_config_read(q->arena, asked->config, &m.config, &ret_made->faults);

	if (!e)
		e = sweep_check_params(q->arena, m.config);
	if (!e)
		e = check_texts(q, asked);
	if (!e)
		e = read_prior(q, &m);
	if (!e)
		e = artifact_in_transaction(q, make, &arg);
	if (!e)
		e = sweep_store_get(q->db, m.sweep->project_id, m.sweep->sweep_id,
				    &ret_made->sweep);
	if (!e && !ret_made->sweep)
		return err_new(q->arena, ERR_NOT_FOUND, "the sweep was deleted");
	if (!e)
		check_place(q, asked, m.config, &ret_made->faults);
	ret_made->was_made = m.was_made;
	return e;
}
