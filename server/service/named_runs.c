#include "named_runs.h"

#include <string.h>

#include "auth.h"
#include "name.h"

static bool has_name(const struct named_runs *runs, struct str name)
{
	for (size_t i = 0; i < runs->name_count; i++) {
		if (str_equal(runs->names[i], name))
			return true;
	}
	return false;
}

err_t named_runs_read(struct request *q, size_t most, struct named_runs *ret_runs)
{
	struct named_runs runs = { .names = arena_new_array(q->arena, struct str, most) };
	struct str rest = request_query(q, "ids");
	bool more;

	do {
		struct str name;
		err_t e;

		more = rest.len && memchr(rest.at, ',', rest.len);
		name = str_cut(&rest, ',');
		e = name_check(q->arena, NAME_RUN, "ids", name);
		if (e)
			return e;
		if (has_name(&runs, name))
			continue;
		if (runs.name_count == most)
			return err_field(q->arena, ERR_INVALID, "ids", "more than %zu runs", most);
		runs.names[runs.name_count++] = name;
	} while (more);
	*ret_runs = runs;
	return NULL;
}

err_t named_runs_find(struct request *q, struct db *db, struct named_runs *runs)
{
	struct run_info *infos;
	size_t count;
	err_t e = run_store_list_named(db, q->target->project_id, runs->names, runs->name_count,
				       &infos, &count);

	runs->infos = arena_new_array(q->arena, const struct run_info *, runs->name_count);
	runs->count = 0;
	for (size_t i = 0; i < runs->name_count && !e; i++) {
		for (size_t k = 0; k < count; k++) {
			if (str_equal(infos[k].name, runs->names[i]))
				runs->infos[runs->count++] = &infos[k];
		}
	}
	return e;
}
