/* The folder of files: what comes in is there as a whole or not at all, once, under its hash. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <sodium.h>

#include "arena.h"
#include "content.h"

/* Instead of the library's. */
static int synced, synced_all;
int fsync(int fd)
{
	synced++;
	return (int)syscall(SYS_fsync, fd);
}
int syncfs(int fd)
{
	synced_all++;
	return (int)syscall(SYS_syncfs, fd);
}

struct place {
	struct arena *arena;
	char path[64];
	struct content_store *store;
};

static int begin(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	p->arena = arena_new(4096);
	snprintf(p->path, sizeof(p->path), "/tmp/cairn-content.XXXXXX");
	assert_non_null(mkdtemp(p->path));
	assert_null(content_folder_open(p->arena, p->path, CONTENT_MAKE, 0, &p->store));
	*state = p;
	return 0;
}

static int end(void **state)
{
	struct place *p = *state;
	char command[96];

	arena_free(p->arena);
	content_close(p->store);
	snprintf(command, sizeof(command), "rm -rf %s", p->path);
	assert_int_equal(system(command), 0);
	free(p);
	return 0;
}

static struct content_sums come(struct place *p, struct arena *a, struct str bytes, bool keep)
{
	struct content_coming *coming;
	struct content_sums sums;

	assert_null(content_begin(p->store, a, &coming));
	assert_null(content_add(coming, (struct str){ bytes.at, bytes.len / 2 }));
	assert_null(content_add(coming, (struct str){ bytes.at + bytes.len / 2,
						      bytes.len - bytes.len / 2 }));
	assert_null(content_end(coming, &sums));
	if (keep)
		assert_null(content_keep(coming));
	return sums;
}

static err_t count_one(void *state, struct str hash, int64_t size_bytes)
{
	(void)hash;
	(void)size_bytes;
	++*(int *)state;
	return NULL;
}

static int all_of(struct place *p)
{
	int count = 0;

	assert_null(content_walk(p->store, p->arena, count_one, &count));
	return count;
}

static void kept_once_and_read(void **state)
{
	static const unsigned char md5[] = { 0x90, 0x01, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0,
					     0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72 };
	struct place *p = *state;
	struct content_sums sums = come(p, p->arena, STR("abc"), true);
	struct str hash = { (char *)sums.hash, sizeof(sums.hash) };
	struct content_reader *reader;
	bool whole;
	char bytes[8];
	size_t n;

	assert_int_equal(sums.size_bytes, 3);
	assert_memory_equal(sums.md5, md5, sizeof(md5));
	come(p, p->arena, STR("abc"), true);
	come(p, p->arena, STR(""), true);
	assert_int_equal(all_of(p), 2);
	assert_null(content_open(p->store, p->arena, hash, &reader));
	assert_int_equal(content_size(reader), 3);
	assert_null(content_read(reader, 1, bytes, sizeof(bytes), &n));
	assert_int_equal(n, 2);
	assert_memory_equal(bytes, "bc", 2);
	assert_null(content_check(reader, hash, &whole));
	assert_true(whole);
	assert_null(content_remove(p->store, p->arena, hash));
	assert_null(content_remove(p->store, p->arena, hash));
	assert_null(content_read(reader, 0, bytes, 3, &n)); /* who reads it goes on */
	assert_int_equal(n, 3);
	assert_int_equal(content_open(p->store, p->arena, hash, &reader)->kind, ERR_NOT_FOUND);
}

static void keep_new(struct place *p, int count)
{
	struct arena *a = arena_new(4096);
	struct content_coming **comings =
		arena_new_array(a, struct content_coming *, (size_t)count);
	int before = all_of(p);

	synced = synced_all = 0;
	for (int i = 0; i < count; i++) {
		struct content_sums sums;

		assert_null(content_begin(p->store, a, &comings[i]));
		assert_null(content_add(comings[i], str_of(arena_printf(a, "%d of %d", i, count))));
		content_end_later(comings[i], &sums);
	}
	assert_null(content_keep_all(p->store, a, comings, (size_t)count));
	assert_int_equal(all_of(p), before + count);
	arena_free(a);
}

/* The whole file system is written only for many: others write there, too. */
static void few_are_kept_one_by_one(void **state)
{
	struct place *p = *state;

	keep_new(p, 16);
	assert_int_equal(synced_all, 0);
	assert_true(synced >= 2 * 16); /* the file and its folder */
	keep_new(p, 17);
	assert_int_equal(synced_all, 2);
	assert_int_equal(synced, 0);
}

/* Some have the same bytes, one is there already; none is readable before. */
static void many_are_kept_at_once(void **state)
{
	enum { MANY = 100, DISTINCT = 70 };
	struct place *p = *state;
	struct arena *a = arena_new(4096);
	struct content_coming *comings[MANY];
	struct content_sums sums[MANY];

	come(p, p->arena, STR("content 3"), true);
	for (int i = 0; i < MANY; i++) {
		struct str bytes = str_of(arena_printf(a, "content %d", i % DISTINCT));

		assert_null(content_begin(p->store, a, &comings[i]));
		assert_null(content_add(comings[i], bytes));
		content_end_later(comings[i], &sums[i]);
		assert_int_equal(sums[i].size_bytes, bytes.len);
	}
	assert_int_equal(all_of(p), 1);
	assert_null(content_keep_all(p->store, a, comings, MANY));
	arena_free(a);
	assert_int_equal(all_of(p), DISTINCT);
	for (int i = 0; i < MANY; i++) {
		struct str hash = { (char *)sums[i].hash, sizeof(sums[i].hash) };
		struct content_reader *reader;
		bool whole;

		assert_null(content_open(p->store, p->arena, hash, &reader));
		assert_null(content_check(reader, hash, &whole));
		assert_true(whole);
	}
	assert_null(content_keep_all(p->store, p->arena, comings, 0));
}

static void what_is_not_kept_goes(void **state)
{
	struct place *p = *state;
	struct arena *a = arena_new(4096);
	size_t swept;
	char left[96];
	FILE *f;

	come(p, a, STR("lost"), false);
	assert_null(content_sweep(p->store, p->arena, &swept));
	assert_int_equal(swept, 0); /* its server lives */
	arena_free(a);
	snprintf(left, sizeof(left), "%s/incoming/left", p->path);
	f = fopen(left, "w");
	fclose(f);
	assert_null(content_sweep(p->store, p->arena, &swept));
	assert_int_equal(swept, 1);
	assert_int_equal(access(left, F_OK), -1);
	assert_int_equal(all_of(p), 0);
}

static void torn_content_is_replaced(void **state)
{
	struct place *p = *state;
	struct content_sums sums = come(p, p->arena, STR("whole"), true);
	struct str hash = { (char *)sums.hash, sizeof(sums.hash) };
	char command[160];
	struct content_reader *reader;
	bool whole;

	snprintf(command, sizeof(command),
		 "find %s/content -type f | while read f; do : > $f; done", p->path);
	assert_int_equal(system(command), 0);
	assert_null(content_open(p->store, p->arena, hash, &reader));
	assert_null(content_check(reader, hash, &whole));
	assert_false(whole);
	come(p, p->arena, STR("whole"), true);
	assert_null(content_open(p->store, p->arena, hash, &reader));
	assert_null(content_check(reader, hash, &whole));
	assert_true(whole);
}

static void marks(void **state)
{
	static const char first[] = "0123456789abcdef0123456789abcdef";
	struct place *p = *state;
	struct str mark;

	assert_null(content_read_mark(p->store, p->arena, &mark));
	assert_int_equal(mark.len, 0);
	assert_null(content_mark(p->store, p->arena, str_of(first)));
	assert_null(content_mark(p->store, p->arena, STR("fedcba9876543210fedcba9876543210")));
	assert_null(content_read_mark(p->store, p->arena, &mark));
	assert_true(str_is(mark, first));
}

struct sweeping {
	struct place *place;
	atomic_bool is_done;
};

static void *sweep_until_done(void *p)
{
	struct sweeping *s = p;
	struct arena *a = arena_new(4096);
	size_t swept;

	while (!s->is_done) {
		assert_null(content_sweep(s->place->store, a, &swept));
		arena_reset(a);
	}
	arena_free(a);
	return NULL;
}

/* Servers that start side by side: each marks the folder and sweeps it. */
static void marks_while_another_sweeps(void **state)
{
	enum { MARKS = 300 };
	struct sweeping s = { *state, false };
	pthread_t thread;
	struct str mark;

	assert_int_equal(pthread_create(&thread, NULL, sweep_until_done, &s), 0);
	for (int i = 0; i < MARKS; i++) {
		struct arena *a = arena_new(4096);

		assert_null(
			content_mark(s.place->store, a, STR("0123456789abcdef0123456789abcdef")));
		arena_free(a);
	}
	s.is_done = true;
	pthread_join(thread, NULL);
	assert_null(content_read_mark(s.place->store, s.place->arena, &mark));
	assert_int_equal(mark.len, 32);
}

static void room(void **state)
{
	struct place *p = *state;

	assert_null(content_has_room(p->store, p->arena, 1));
	assert_int_equal(content_has_room(p->store, p->arena, INT64_MAX / 2)->kind, ERR_BUSY);
}

/* After each 8 MiB, for nobody may have said how large it is. */
static void a_disk_that_fills_while_it_comes_is_told(void **state)
{
	enum { LOOKED_AT = 8 << 20 };
	static const int64_t reserves[] = { 0, INT64_MAX / 2 };
	struct place *p = *state;
	char *bytes = calloc(1, LOOKED_AT);

	for (size_t i = 0; i < 2; i++) {
		struct content_coming *coming;
		struct content_store *store;
		struct arena *a = arena_new(4096);
		err_t e;

		assert_null(content_folder_open(a, p->path, CONTENT_FIND, reserves[i], &store));
		assert_null(content_begin(store, a, &coming));
		assert_null(content_add(coming, (struct str){ bytes, LOOKED_AT - 1 }));
		e = content_add(coming, (struct str){ bytes, 1 });
		assert_int_equal(e != NULL, reserves[i] != 0);
		assert_true(!e || e->kind == ERR_BUSY);
		arena_free(a);
		content_close(store);
	}
	free(bytes);
}

enum { LARGE_BYTES = 1 << 20, AT_ONCE = 6 };

struct large {
	struct place *place;
	unsigned char first;
};

/* Bytes that differ by the thread; its sums must be those of the whole. */
static void *come_large(void *arg)
{
	const struct large *l = arg;
	struct arena *a = arena_new(4096);
	char *bytes = malloc(LARGE_BYTES);
	unsigned char md5[CONTENT_MD5_SIZE];
	unsigned char hash[CONTENT_HASH_SIZE];
	struct content_sums sums;

	for (size_t i = 0; i < LARGE_BYTES; i++)
		bytes[i] = (char)(l->first + i * i % 251);
	gnutls_hash_fast(GNUTLS_DIG_MD5, bytes, LARGE_BYTES, md5);
	crypto_generichash(hash, sizeof(hash), (unsigned char *)bytes, LARGE_BYTES, NULL, 0);
	for (int i = 0; i < 8; i++) {
		sums = come(l->place, a, (struct str){ bytes, LARGE_BYTES }, false);
		assert_memory_equal(sums.md5, md5, sizeof(md5));
		assert_memory_equal(sums.hash, hash, sizeof(hash));
	}
	free(bytes);
	arena_free(a);
	return NULL;
}

/* MD5 of large pieces is made by other threads, or by the same one if those have others to do. */
static void large_pieces_are_summed_at_once(void **state)
{
	pthread_t threads[AT_ONCE];
	struct large what[AT_ONCE];

	for (unsigned i = 0; i < AT_ONCE; i++) {
		what[i] = (struct large){ *state, (unsigned char)i };
		assert_int_equal(pthread_create(&threads[i], NULL, come_large, &what[i]), 0);
	}
	for (unsigned i = 0; i < AT_ONCE; i++)
		pthread_join(threads[i], NULL);
}

/* Just written, it is in memory as a rule; where the file system cannot tell, nothing is. */
static void what_is_in_memory_is_read_without_a_wait(void **state)
{
	struct place *p = *state;
	const struct content_sums sums = come(p, p->arena, STR("in memory"), true);
	struct content_reader *reader;
	char bytes[16];
	size_t n;

	assert_null(content_open(p->store, p->arena,
				 (struct str){ (const char *)sums.hash, CONTENT_HASH_SIZE },
				 &reader));
	n = content_read_now(reader, 3, bytes, sizeof(bytes));
	assert_true(n == 6 || n == 0);
	assert_memory_equal(bytes, "memory", n);
	assert_int_equal(content_read_now(reader, 9, bytes, sizeof(bytes)), 0);
}

/* The file that the kernel sends has the same bytes at the same offsets; a part beyond the end is never in memory. */
static void a_file_in_memory_can_be_sent_by_the_kernel(void **state)
{
	struct place *p = *state;
	const struct content_sums sums = come(p, p->arena, STR("in memory"), true);
	struct content_reader *reader;
	char bytes[16] = "";
	int fd = -1;

	assert_null(content_open(p->store, p->arena,
				 (struct str){ (const char *)sums.hash, CONTENT_HASH_SIZE },
				 &reader));
	if (content_is_in_memory(reader, 3, 6, &fd))
		assert_int_equal(pread(fd, bytes, 6, 3), 6);
	assert_true(fd < 0 || !memcmp(bytes, "memory", 6));
	assert_false(content_is_in_memory(reader, 3, 7, &fd));
	assert_false(content_is_in_memory(reader, 0, INT64_MAX, &fd));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kept_once_and_read, begin, end),
		cmocka_unit_test_setup_teardown(few_are_kept_one_by_one, begin, end),
		cmocka_unit_test_setup_teardown(many_are_kept_at_once, begin, end),
		cmocka_unit_test_setup_teardown(what_is_not_kept_goes, begin, end),
		cmocka_unit_test_setup_teardown(torn_content_is_replaced, begin, end),
		cmocka_unit_test_setup_teardown(marks, begin, end),
		cmocka_unit_test_setup_teardown(large_pieces_are_summed_at_once, begin, end),
		cmocka_unit_test_setup_teardown(what_is_in_memory_is_read_without_a_wait, begin,
						end),
		cmocka_unit_test_setup_teardown(a_file_in_memory_can_be_sent_by_the_kernel, begin,
						end),
		cmocka_unit_test_setup_teardown(marks_while_another_sweeps, begin, end),
		cmocka_unit_test_setup_teardown(room, begin, end),
		cmocka_unit_test_setup_teardown(a_disk_that_fills_while_it_comes_is_told, begin,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
