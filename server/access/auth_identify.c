/*
 * Finds the user of a request's key or cookie. The key is hashed under the secret, and the hash is looked up in a
 * short-lived cache or in the database, so nothing secret is compared byte by byte.
 */
#include <sodium.h>
#include <string.h>

#include "app.h"
#include "auth_parts.h"
#include "auth_session.h"
#include "key_store.h"
#include "log.h"

enum { HEADER_MAX = 512 };

err_t auth_unauthorized(struct request *q, const char *message)
{
	struct err *e = err_new(q->arena, ERR_UNAUTHORIZED, "%s", message);

	e->hint = "send the header \"Authorization: Bearer KEY\", or sign in";
	return e;
}

/* Malformed, never made or revoked: the same answer for all. */
static err_t unknown_key(struct request *q)
{
	struct err *e = err_new(q->arena, ERR_UNAUTHORIZED, "invalid key");

	e->hint = "the key may be truncated, revoked, or from another server";
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
		return auth_unauthorized(q, "invalid header \"Authorization\": expected a key");
	if (key_check(q->arena, key))
		return unknown_key(q);
	*ret_key = key;
	return NULL;
}

/* The credentials of a request. */
enum proof_kind { PROOF_NONE, PROOF_KEY, PROOF_SESSION };

struct proof {
	enum proof_kind kind;
	struct str text;
};

/* As it is looked up. */
struct hashed_proof {
	unsigned char kind;
	unsigned char hash[KEY_HASH_SIZE];
};

/* A key counts before a cookie, which a browser sends unasked. */
static err_t read_proof(struct request *q, struct proof *ret_proof)
{
	struct str key, token;
	err_t e = read_key(q, &key);

	if (e)
		return e;
	token = key.len ? STR("") : auth_cookie(q);
	if (key.len)
		*ret_proof = (struct proof){ PROOF_KEY, key };
	else
		*ret_proof = (struct proof){ token.len ? PROOF_SESSION : PROOF_NONE, token };
	return NULL;
}

static struct hashed_proof hash_proof(const struct auth *auth, const struct proof *proof)
{
	struct hashed_proof hashed = { .kind = (unsigned char)proof->kind };

	if (proof->kind == PROOF_SESSION)
		session_hash(auth->secret, proof->text, hashed.hash);
	else
		key_hash(auth->secret, proof->text, hashed.hash);
	return hashed;
}

static struct str cache_key(const struct hashed_proof *hashed)
{
	return (struct str){ (const char *)hashed, sizeof(*hashed) };
}

/* Public projects need no key. */
static bool may_be_nobody(enum access access)
{
	return access == ACCESS_OPEN || access == ACCESS_ASKED || access == ACCESS_READ;
}

err_t auth_head(struct request *q)
{
	enum access access = q->route->access;
	struct proof proof;
	err_t e;

	if (access == ACCESS_OPEN)
		return NULL;
	e = read_proof(q, &proof);
	if (!e && proof.kind == PROOF_NONE && !may_be_nobody(access))
		e = auth_unauthorized(q, "authentication required");
	if (!e && proof.kind == PROOF_SESSION && q->method != GET)
		e = auth_check_page(q);
	return e;
}

/* The last use is for people who tidy up: it costs a write a minute, and no failure matters. */
static void note_use(struct request *q, int64_t key_id)
{
	struct str address = q->client_address.at ? q->client_address : STR("");
	err_t e = key_store_touch(q->db, key_id, address);

	if (e)
		log_debug("cannot record the use of a key", LOG_INT("key_id", key_id),
			  LOG_TEXT("error", err_chain(q->arena, e)));
}

err_t auth_keep_name(struct request *q, struct str user, struct identity_fact *fact)
{
	if (user.len > sizeof(fact->name))
		return err_new(q->arena, ERR_INTERNAL, "a user's name has %zu bytes, more than %zu",
			       user.len, sizeof(fact->name));
	fact->name_len = (uint8_t)user.len;
	memcpy(fact->name, user.at, user.len);
	return NULL;
}

static err_t look_up_key(struct request *q, const unsigned char *hash,
			 struct identity_fact *ret_fact)
{
	struct key_owner *owner;
	err_t e = key_store_find_owner(q->db, hash, &owner);

	if (e)
		return e;
	if (!owner)
		return unknown_key(q);
	*ret_fact = (struct identity_fact){
		.user_id = owner->user_id,
		.key_id = owner->key_id,
		.default_entity_id = owner->default_entity_id,
		.scope = owner->scope,
		.is_admin = owner->is_admin,
		.is_service = owner->is_service,
	};
	e = auth_keep_name(q, owner->user, ret_fact);
	if (e)
		return e;
	if (owner->stale)
		note_use(q, owner->key_id);
	return NULL;
}

static err_t look_up(struct request *q, const struct hashed_proof *hashed,
		     struct identity_fact *ret_fact, bool *ret_found)
{
	if (hashed->kind == PROOF_SESSION)
		return auth_look_up_session(q, hashed->hash, ret_fact, ret_found);
	*ret_found = true;
	return look_up_key(q, hashed->hash, ret_fact);
}

static err_t find_identity(struct request *q, const struct proof *proof,
			   struct identity_fact *ret_fact, bool *ret_found)
{
	struct auth *auth = q->app->auth;
	struct hashed_proof hashed = hash_proof(auth, proof);
	uint64_t generation = ttl_cache_generation(auth->identities);
	err_t e;

	*ret_found = true;
	if (ttl_cache_find(auth->identities, cache_key(&hashed), ret_fact))
		return NULL;
	e = look_up(q, &hashed, ret_fact, ret_found);
	if (!e && *ret_found)
		ttl_cache_save(auth->identities, cache_key(&hashed), generation, ret_fact);
	return e;
}

bool auth_knows(struct request *q)
{
	struct auth *auth = q->app->auth;
	struct hashed_proof hashed;
	struct identity_fact fact;
	struct proof proof;

	if (read_proof(q, &proof) || proof.kind == PROOF_NONE)
		return false;
	hashed = hash_proof(auth, &proof);
	return ttl_cache_find(auth->identities, cache_key(&hashed), &fact);
}

err_t auth_verify(struct request *q)
{
	enum access access = q->route->access;
	err_t e = auth_identify(q);

	if (!e && !q->identity && !may_be_nobody(access))
		e = auth_unauthorized(q, "authentication required");
	return e;
}

static struct str session_of(struct request *q, const struct identity_fact *fact)
{
	char *text = arena_alloc(q->arena, 2 * sizeof(fact->session) + 1);

	if (fact->key_id)
		return STR("");
	sodium_bin2hex(text, 2 * sizeof(fact->session) + 1, fact->session, sizeof(fact->session));
	return str_of(text);
}

err_t auth_identify(struct request *q)
{
	struct identity_fact fact;
	struct identity *identity;
	struct proof proof;
	bool found;
	err_t e = read_proof(q, &proof);

	if (e || proof.kind == PROOF_NONE)
		return e;
	e = find_identity(q, &proof, &fact, &found);
	if (e || !found)
		return e;
	identity = arena_new_of(q->arena, struct identity);
	*identity = (struct identity){
		.user_id = fact.user_id,
		.name = { arena_copy(q->arena, fact.name, fact.name_len), fact.name_len },
		.key_id = fact.key_id,
		.session = session_of(q, &fact),
		.scope = (enum key_scope)fact.scope,
		.is_admin = fact.is_admin,
		.is_service = fact.is_service,
		.default_entity_id = fact.default_entity_id,
	};
	q->identity = identity;
	return NULL;
}
