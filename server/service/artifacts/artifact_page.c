#include "artifact_page.h"

size_t artifact_page_cut(const struct artifact_size *sizes, size_t count)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < count; i++) {
		bytes += sizes[i].size_bytes;
		if (i && bytes > ARTIFACT_PAGE_BYTES)
			return i;
	}
	return count;
}

static void take(const struct artifact_key *keys, size_t count, int64_t project_id,
		 const struct artifact_size *found, size_t found_count, struct artifact_size *sizes)
{
	for (size_t i = 0; i < count; i++) {
		if (keys[i].project_id != project_id)
			continue;
		for (size_t j = 0; j < found_count; j++) {
			if (found[j].artifact_id == keys[i].artifact_id)
				sizes[i] = found[j];
		}
	}
}

/* Finds all of one project: that of the key `first`. */
static err_t find_of_project(struct request *q, const struct artifact_key *keys, size_t count,
			     size_t first, struct artifact_size *sizes)
{
	const int64_t project_id = keys[first].project_id;
	int64_t *ids = arena_new_array(q->arena, int64_t, count);
	struct artifact_size *found;
	size_t id_count = 0;
	size_t found_count;
	err_t e;

	for (size_t i = first; i < count; i++) {
		if (keys[i].project_id != project_id)
			continue;
		ids[id_count++] = keys[i].artifact_id;
		sizes[i].artifact_id = keys[i].artifact_id; /* found, or not there */
	}
	e = artifact_store_find_sizes(q->db, project_id, ids, id_count, &found, &found_count);
	if (!e)
		take(keys, count, project_id, found, found_count, sizes);
	return e;
}

err_t artifact_page_fit(struct request *q, const struct artifact_key *keys, size_t count,
			size_t *ret_count)
{
	struct artifact_size *sizes = arena_new_array(q->arena, struct artifact_size, count + 1);
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++) {
		if (!sizes[i].artifact_id)
			e = find_of_project(q, keys, count, i, sizes);
	}
	if (!e)
		*ret_count = artifact_page_cut(sizes, count);
	return e;
}
