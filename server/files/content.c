/*
 * Shared by all kinds of stores. The bytes are hashed as they come: BLAKE2b names them, for no one
 * can make two contents with one such hash; MD5 is for clients, and decides nothing here.
 */
#include "content_kind.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "aside.h"

enum {
	CHECK_BYTES = 1 << 20,
	ASIDE_BYTES = 64 << 10, /* fewer are not worth another thread */
	KEPT_ALONE_MAX = 16,    /* files that come together */
};

void content_close(struct content_store *store)
{
	struct aside *aside = store ? store->aside : NULL;

	if (store)
		store->kind->close(store);
	aside_free(aside);
}

err_t content_read_mark(struct content_store *store, struct arena *a, struct str *ret_mark)
{
	return store->kind->read_mark(store, a, ret_mark);
}

err_t content_mark(struct content_store *store, struct arena *a, struct str mark)
{
	return store->kind->mark(store, a, mark);
}

err_t content_room(struct content_store *store, struct arena *a, struct content_room *ret_room)
{
	return store->kind->room(store, a, ret_room);
}

err_t content_has_room(struct content_store *store, struct arena *a, int64_t bytes)
{
	return store->kind->has_room(store, a, bytes);
}

/* ---- coming in -------------------------------------------------------------------------------- */

static void free_sums(void *p)
{
	struct content_coming *coming = p;

	free(coming->hash);
	if (coming->md5)
		gnutls_hash_deinit(coming->md5, NULL);
	coming->md5 = NULL;
}

static crypto_generichash_state *new_hash(void)
{
	crypto_generichash_state *hash = aligned_alloc(64, (sizeof(*hash) + 63) / 64 * 64);

	if (!hash)
		abort();
	crypto_generichash_init(hash, NULL, 0, CONTENT_HASH_SIZE);
	return hash;
}

/* It is not used for security, so rules that forbid it for that do not apply (FIPS 140). */
static bool start_md5(gnutls_hash_hd_t *ret_md5)
{
	gnutls_hash_hd_t md5;
	int result;

	gnutls_fips140_set_mode(GNUTLS_FIPS140_LAX, GNUTLS_FIPS140_SET_MODE_THREAD);
	result = gnutls_hash_init(&md5, GNUTLS_DIG_MD5);
	gnutls_fips140_set_mode(GNUTLS_FIPS140_STRICT, GNUTLS_FIPS140_SET_MODE_THREAD);
	if (!result)
		*ret_md5 = md5;
	return !result;
}

err_t content_begin(struct content_store *store, struct arena *a,
		    struct content_coming **ret_coming)
{
	gnutls_hash_hd_t md5;
	struct content_coming *coming;
	err_t e = store->kind->begin(store, a, &coming);

	if (e)
		return e;
	coming->store = store;
	coming->arena = a;
	coming->hash = new_hash();
	arena_defer(a, free_sums, coming);
	if (!start_md5(&md5))
		return err_new(a, ERR_INTERNAL, "the library has no MD5");
	coming->md5 = md5;
	*ret_coming = coming;
	return NULL;
}

struct md5_piece {
	void *md5;
	struct str piece;
};

static void add_md5(void *p)
{
	const struct md5_piece *m = p;

	gnutls_hash(m->md5, m->piece.at, m->piece.len);
}

static err_t add_bytes(struct content_coming *coming, struct str piece)
{
	coming->sums.size_bytes += (int64_t)piece.len;
	crypto_generichash_update(coming->hash, (const unsigned char *)piece.at, piece.len);
	return coming->store->kind->add(coming, piece);
}

/* One file uses two processors, if there are: MD5 on one, BLAKE2b and the writing on the other. */
err_t content_add(struct content_coming *coming, struct str piece)
{
	struct md5_piece what = { coming->md5, piece };
	struct aside_job md5 = { .work = add_md5, .what = &what };
	err_t e;

	if (piece.len < ASIDE_BYTES) {
		add_md5(&what);
		return add_bytes(coming, piece);
	}
	aside_give(coming->store->aside, &md5);
	e = add_bytes(coming, piece);
	aside_wait(coming->store->aside, &md5);
	return e;
}

void content_end_later(struct content_coming *coming, struct content_sums *ret_sums)
{
	crypto_generichash_final(coming->hash, coming->sums.hash, CONTENT_HASH_SIZE);
	gnutls_hash_deinit(coming->md5, coming->sums.md5);
	coming->md5 = NULL;
	*ret_sums = coming->sums;
}

err_t content_end(struct content_coming *coming, struct content_sums *ret_sums)
{
	err_t e = coming->store->kind->end(coming);

	if (!e)
		content_end_later(coming, ret_sums);
	return e;
}

err_t content_keep(struct content_coming *coming)
{
	return coming->store->kind->keep(coming);
}

static err_t keep_each(struct content_coming *const *comings, size_t count)
{
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++) {
		e = comings[i]->store->kind->end(comings[i]);
		if (!e)
			e = content_keep(comings[i]);
	}
	return e;
}

/* Bytes are durable before any of them is readable: another server that finds content takes it for whole. */
static err_t keep_together(struct content_store *store, struct arena *a,
			   struct content_coming *const *comings, size_t count)
{
	err_t e = store->kind->sync(store, a);

	for (size_t i = 0; i < count && !e; i++)
		e = store->kind->place(comings[i]);
	return e ? e : store->kind->sync(store, a);
}

/* All that others wrote is waited for, too, if the whole store is made durable: a few files are so by themselves. */
err_t content_keep_all(struct content_store *store, struct arena *a,
		       struct content_coming *const *comings, size_t count)
{
	return count <= KEPT_ALONE_MAX ? keep_each(comings, count)
				       : keep_together(store, a, comings, count);
}

/* ---- there ------------------------------------------------------------------------------------ */

/* Hashes are read from the database. */
static err_t check_hash(struct arena *a, struct str hash)
{
	if (hash.len == CONTENT_HASH_SIZE)
		return NULL;
	return err_new(a, ERR_INTERNAL, "the hash of a file has %zu bytes, not %d", hash.len,
		       CONTENT_HASH_SIZE);
}

err_t content_open(struct content_store *store, struct arena *a, struct str hash,
		   struct content_reader **ret_reader)
{
	err_t e = check_hash(a, hash);

	return e ? e : store->kind->open(store, a, hash, ret_reader);
}

int64_t content_size(const struct content_reader *reader)
{
	return reader->size_bytes;
}

err_t content_read(struct content_reader *reader, int64_t offset, char *bytes, size_t size,
		   size_t *ret_count)
{
	return reader->store->kind->read(reader, offset, bytes, size, ret_count);
}

size_t content_read_now(struct content_reader *reader, int64_t offset, char *bytes, size_t size)
{
	return reader->store->kind->read_now(reader, offset, bytes, size);
}

/* md5: may be NULL. */
bool content_is_in_memory(struct content_reader *reader, int64_t offset, int64_t length,
			  int *ret_fd)
{
	return reader->store->kind->is_in_memory(reader, offset, length, ret_fd);
}

static err_t hash_all(struct content_reader *reader, char *bytes, gnutls_hash_hd_t md5,
		      struct content_sums *ret_sums)
{
	crypto_generichash_state state;
	int64_t offset = 0;
	size_t n = 0;

	crypto_generichash_init(&state, NULL, 0, CONTENT_HASH_SIZE);
	do {
		err_t e = content_read(reader, offset, bytes, CHECK_BYTES, &n);

		if (e)
			return e;
		crypto_generichash_update(&state, (const unsigned char *)bytes, n);
		if (md5)
			gnutls_hash(md5, bytes, n);
		offset += (int64_t)n;
	} while (n == CHECK_BYTES);
	crypto_generichash_final(&state, ret_sums->hash, CONTENT_HASH_SIZE);
	ret_sums->size_bytes = offset;
	return NULL;
}

err_t content_check(struct content_reader *reader, struct str hash, bool *ret_whole)
{
	struct content_sums have;
	char *bytes = malloc(CHECK_BYTES);
	err_t e;

	if (!bytes)
		return err_new(reader->arena, ERR_BUSY, "out of memory to read a file");
	e = hash_all(reader, bytes, NULL, &have);
	free(bytes);
	if (!e)
		*ret_whole = memcmp(have.hash, hash.at, CONTENT_HASH_SIZE) == 0;
	return e;
}

err_t content_sum(struct content_reader *reader, struct content_sums *ret_sums)
{
	gnutls_hash_hd_t md5 = NULL;
	char *bytes = malloc(CHECK_BYTES);
	err_t e;

	if (!bytes || !start_md5(&md5)) {
		free(bytes);
		return err_new(reader->arena, ERR_BUSY, "out of memory to read a file");
	}
	e = hash_all(reader, bytes, md5, ret_sums);
	gnutls_hash_deinit(md5, ret_sums->md5);
	free(bytes);
	return e;
}

static err_t copy_all(struct content_reader *reader, struct content_coming *coming, char *bytes)
{
	int64_t offset = 0;
	size_t n = 0;

	do {
		err_t e = content_read(reader, offset, bytes, CHECK_BYTES, &n);

		if (!e)
			e = content_add(coming, (struct str){ bytes, n });
		if (e)
			return e;
		offset += (int64_t)n;
	} while (n == CHECK_BYTES);
	return NULL;
}

static err_t copy(struct content_reader *reader, struct content_store *to, struct str hash,
		  enum content_copied *ret_copied)
{
	struct arena *a = reader->arena;
	struct content_coming *coming;
	struct content_sums sums;
	err_t e = content_begin(to, a, &coming);

	if (!e)
		e = copy_all(reader, coming, arena_alloc(a, CHECK_BYTES));
	if (!e)
		e = content_end(coming, &sums);
	if (e)
		return e;
	*ret_copied = memcmp(sums.hash, hash.at, CONTENT_HASH_SIZE) ? CONTENT_BROKEN
								    : CONTENT_COPIED;
	return *ret_copied == CONTENT_COPIED ? content_keep(coming) : NULL;
}

static err_t copy_found(struct content_store *from, struct content_store *to, struct arena *a,
			struct str hash, struct content_reader **ret_reader,
			enum content_copied *ret_copied)
{
	struct content_reader *there;
	err_t e = content_open(to, a, hash, &there);
	bool is_there = !e;

	if (e && e->kind != ERR_NOT_FOUND)
		return e;
	e = content_open(from, a, hash, ret_reader);
	if (e && e->kind == ERR_NOT_FOUND) {
		*ret_copied = is_there ? CONTENT_WAS_THERE : CONTENT_MISSING;
		return NULL;
	}
	if (e || !is_there || there->size_bytes != (*ret_reader)->size_bytes)
		return e ? e : copy(*ret_reader, to, hash, ret_copied);
	*ret_copied = CONTENT_WAS_THERE;
	return NULL;
}

err_t content_copy(struct content_store *from, struct content_store *to, struct arena *a,
		   struct str hash, struct content_copy *ret_copy)
{
	struct arena *own = arena_new(4096);
	struct content_reader *reader = NULL;
	struct content_copy done = { .bytes = 0 };
	err_t e = copy_found(from, to, own, hash, &reader, &done.what);

	if (!e && done.what == CONTENT_COPIED)
		done.bytes = reader->size_bytes;
	if (e)
		e = err_wrap(a, e, "cannot copy a file");
	else
		*ret_copy = done;
	arena_free(own);
	return e;
}

err_t content_remove(struct content_store *store, struct arena *a, struct str hash)
{
	err_t e = check_hash(a, hash);

	return e ? e : store->kind->remove(store, a, hash);
}

err_t content_sweep(struct content_store *store, struct arena *a, size_t *ret_count)
{
	return store->kind->sweep(store, a, ret_count);
}

err_t content_walk(struct content_store *store, struct arena *a, content_see_fn *see, void *state)
{
	return store->kind->walk(store, a, see, state);
}
