/*
 * Whose key a request shows. The key is hashed under the secret, and the hash looked up, in memory
 * for a moment and else in the database; so no key is compared byte by byte.
 */
#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "app.h"
#include "auth_parts.h"
#include "key_store.h"
#include "log.h"

enum { HEADER_MAX = 512 };

err_t auth_unauthorized(struct request *q, const char *message)
{
	struct err *e = err_new(q->arena, ERR_UNAUTHORIZED, "%s", message);

	e->hint = "send the header \"Authorization: Bearer KEY\"";
	return e;
}

/* Malformed, never made or revoked: the same answer for all. */
static err_t unknown_key(struct request *q)
{
	struct err *e = err_new(q->arena, ERR_UNAUTHORIZED, "the key is not known");

	e->hint = "it may be cut short, revoked, or another server's";
	return e;
}

/* "api:KEY" in base64. */
static bool read_basic(struct arena *a, struct str value, struct str *ret_key)
{
	char *text = arena_alloc(a, value.len + 1);
	struct str user, rest;
	size_t len;

	if (sodium_base642bin((unsigned char *)text, value.len + 1, value.at, value.len, NULL, &len,
			      NULL, sodium_base64_VARIANT_ORIGINAL))
		return false;
	rest = (struct str){ text, len };
	user = str_cut(&rest, ':');
	*ret_key = rest;
	return str_is(user, "api");
}

static bool is_scheme(struct str word, const char *scheme)
{
	return word.len == strlen(scheme) && strncasecmp(word.at, scheme, word.len) == 0;
}

/* The key that was sent; *ret_key is empty when none was. */
static err_t read_key(struct request *q, struct str *ret_key)
{
	struct str value = request_header(q, "Authorization");
	struct str scheme, key = { 0 };

	*ret_key = key;
	if (!value.len)
		return NULL;
	if (value.len > HEADER_MAX)
		return auth_unauthorized(q, "the header \"Authorization\" is too long");
	scheme = str_cut(&value, ' ');
	value = str_trim(value);
	if (is_scheme(scheme, "Bearer"))
		key = value;
	else if (!is_scheme(scheme, "Basic") || !read_basic(q->arena, value, &key))
		return auth_unauthorized(q, "the header \"Authorization\" holds no key");
	if (key_check(q->arena, key))
		return unknown_key(q);
	*ret_key = key;
	return NULL;
}

err_t auth_head(struct request *q)
{
	enum access access = q->route->access;
	struct str key;
	err_t e;

	if (access == ACCESS_OPEN)
		return NULL;
	e = read_key(q, &key);
	if (!e && !key.len && access != ACCESS_READ)
		e = auth_unauthorized(q, "this needs a key");
	return e;
}

/* The last use is for people who tidy up: it costs a write a minute, and no failure matters. */
static void note_use(struct request *q, int64_t key_id)
{
	err_t e = key_store_touch(q->db, key_id);

	if (e)
		log_debug("use of a key not noted", LOG_INT("key_id", key_id),
			  LOG_TEXT("error", err_chain(q->arena, e)));
}

static err_t look_up_identity(struct request *q, const unsigned char *hash,
			      struct identity_fact *ret_fact)
{
	struct key_owner *owner;
	err_t e = key_store_find_owner(q->db, hash, &owner);

	if (e)
		return e;
	if (!owner)
		return unknown_key(q);
	assert(owner->user.len <= sizeof(ret_fact->name));
	*ret_fact = (struct identity_fact){
		.user_id = owner->user_id,
		.key_id = owner->key_id,
		.default_entity_id = owner->default_entity_id,
		.scope = owner->scope,
		.is_admin = owner->is_admin,
		.name_len = (uint8_t)owner->user.len,
	};
	memcpy(ret_fact->name, owner->user.at, owner->user.len);
	if (owner->stale)
		note_use(q, owner->key_id);
	return NULL;
}

static err_t find_identity(struct request *q, struct str key, struct identity_fact *ret_fact)
{
	struct auth *auth = q->app->auth;
	unsigned char hash[KEY_HASH_SIZE];
	struct str place = { (const char *)hash, sizeof(hash) };
	uint64_t generation = fact_cache_generation(auth->identities);
	err_t e;

	key_hash(auth->secret, key, hash);
	if (fact_cache_find(auth->identities, place, ret_fact))
		return NULL;
	e = look_up_identity(q, hash, ret_fact);
	if (e)
		return e;
	fact_cache_save(auth->identities, place, generation, ret_fact);
	return NULL;
}

bool auth_knows(struct request *q)
{
	struct auth *auth = q->app->auth;
	unsigned char hash[KEY_HASH_SIZE];
	struct identity_fact fact;
	struct str key;

	if (read_key(q, &key) || !key.len)
		return false;
	key_hash(auth->secret, key, hash);
	return fact_cache_find(auth->identities, (struct str){ (const char *)hash, sizeof(hash) },
			       &fact);
}

err_t auth_verify(struct request *q)
{
	return auth_identify(q);
}

err_t auth_identify(struct request *q)
{
	struct identity_fact fact;
	struct identity *identity;
	struct str key;
	err_t e = read_key(q, &key);

	if (e || !key.len)
		return e;
	e = find_identity(q, key, &fact);
	if (e)
		return e;
	identity = arena_new_of(q->arena, struct identity);
	*identity = (struct identity){
		.user_id = fact.user_id,
		.name = { arena_copy(q->arena, fact.name, fact.name_len), fact.name_len },
		.key_id = fact.key_id,
		.scope = (enum key_scope)fact.scope,
		.is_admin = fact.is_admin,
		.default_entity_id = fact.default_entity_id,
	};
	q->identity = identity;
	return NULL;
}
