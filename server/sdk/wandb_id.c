#include "wandb_id.h"

#include <sodium.h>
#include <string.h>

#include "arena.h"

enum { ID_MAX = 16 << 10 }; /* cursors hold values of several keys */

struct str wandb_id(struct arena *a, const char *kind, struct str rest)
{
	const char *plain = arena_printf(a, "%s:%.*s", kind, STR_ARG(rest));
	size_t len = strlen(plain);
	size_t room = sodium_base64_encoded_len(len, sodium_base64_VARIANT_ORIGINAL);
	char *text = arena_alloc(a, room);

	sodium_bin2base64(text, room, (const unsigned char *)plain, len,
			  sodium_base64_VARIANT_ORIGINAL);
	return str_of(text);
}

struct str wandb_id_of_number(struct arena *a, const char *kind, int64_t number)
{
	return wandb_id(a, kind, str_of(arena_printf(a, "%lld", (long long)number)));
}

struct str wandb_id_of_run(struct arena *a, struct str entity, struct str project, struct str run)
{
	return wandb_id(a, "Run:v1",
			str_of(arena_printf(a, "%.*s:%.*s:%.*s", STR_ARG(run), STR_ARG(project),
					    STR_ARG(entity))));
}

bool wandb_id_read(struct arena *a, struct str id, const char *kind, struct str *ret_rest)
{
	size_t kind_len = strlen(kind);
	char *plain = arena_alloc(a, id.len + 1);
	size_t len;

	if (id.len > ID_MAX || sodium_base642bin((unsigned char *)plain, id.len + 1, id.at, id.len,
						 NULL, &len, NULL, sodium_base64_VARIANT_ORIGINAL))
		return false;
	if (len <= kind_len || memcmp(plain, kind, kind_len) != 0 || plain[kind_len] != ':')
		return false;
	plain[len] = '\0';
	*ret_rest = (struct str){ plain + kind_len + 1, len - kind_len - 1 };
	return true;
}

bool wandb_id_read_run(struct arena *a, struct str id, struct str *ret_entity,
		       struct str *ret_project, struct str *ret_run)
{
	struct str rest;

	if (!wandb_id_read(a, id, "Run:v1", &rest))
		return false;
	*ret_run = str_cut(&rest, ':');
	*ret_project = str_cut(&rest, ':');
	*ret_entity = rest;
	return ret_run->len && ret_project->len && ret_entity->len;
}
