/* cairnd quota … */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "directory.h"
#include "entity_store.h"
#include "listing.h"
#include "quota.h"
#include "usage_store.h"

enum { QUOTA_LIST_MAX = 100000 };

/* "500G" as in the settings, "none", or "default" for the setting. */
static err_t read_quota(struct arena *a, const char *text, int64_t *ret_bytes)
{
	if (str_is(str_of(text), "default")) {
		*ret_bytes = QUOTA_STANDARD;
		return NULL;
	}
	if (str_is(str_of(text), "none")) {
		*ret_bytes = QUOTA_NONE;
		return NULL;
	}
	if (config_read_size(text, INT64_C(1) << 53, ret_bytes) && *ret_bytes > 0)
		return NULL;
	return err_new(a, ERR_INVALID,
		       "the quota must be a size such as 500G, none or default, not \"%s\"", text);
}

err_t quota_command_set(struct command_call *call)
{
	struct entity *entity = NULL;
	struct directory d;
	int64_t bytes;
	bool changed;
	err_t e;

	e = read_quota(call->arena, call->argument[1], &bytes);
	if (!e)
		e = directory_begin(call, &d);
	if (!e)
		e = entity_store_find(d.db, str_of(call->argument[0]), &entity);
	if (!e && !entity)
		e = err_new(call->arena, ERR_NOT_FOUND, "the user or team \"%s\" does not exist",
			    call->argument[0]);
	if (!e)
		e = usage_store_save_quota(d.db, entity->entity_id, bytes, &changed);
	if (!e && changed)
		e = directory_note(&d, AUDIT_QUOTA,
				   &(struct audit_entry){
					   .entity = entity->name,
					   .detail = quota_words(call->arena, bytes),
				   });
	return e ? e : directory_commit(&d);
}

static struct str size_text(struct arena *a, int64_t bytes)
{
	return str_of(arena_printf(a, "%.1f MiB", (double)bytes / (1 << 20)));
}

static struct str quota_text(struct arena *a, int64_t quota)
{
	if (quota == QUOTA_STANDARD)
		return STR("default");
	return quota == QUOTA_NONE ? STR("none") : size_text(a, quota);
}

err_t quota_command_list(struct command_call *call)
{
	static const char *const head[] = { "NAME", "KIND", "STORED", "DELETED", "QUOTA", NULL };
	const struct entity_ask ask = { .which = ENTITY_LIST_ALL,
					.after = STR(""),
					.limit = QUOTA_LIST_MAX };
	struct listing *listing = listing_new(call->arena, head);
	struct entity *entities;
	struct directory d;
	size_t count;
	err_t e = directory_begin(call, &d);

	if (!e)
		e = entity_store_list(d.db, &ask, &entities, &count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		const struct entity *one = &entities[i];

		listing_add(listing, one->name);
		listing_add(listing, str_of(entity_kind_name((enum entity_kind)one->kind)));
		listing_add(listing, size_text(call->arena, one->size_bytes));
		listing_add(listing, size_text(call->arena, one->deleted_bytes));
		listing_add(listing, quota_text(call->arena, one->quota_bytes));
	}
	listing_print(listing, stdout);
	return directory_commit(&d);
}
