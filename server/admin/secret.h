#ifndef SECRET_H
#define SECRET_H

#include "db.h"
#include "key.h"

/* The name under which the database keeps the fingerprint. */
#define SECRET_SETTING "secret_fingerprint"

/*
 * The secret that API keys are hashed with: a file that all servers of one database share. It is
 * made at the first start, readable only by its owner. The database knows its fingerprint, and a
 * server that comes with another secret is refused, for no key would work with it.
 *
 * A new secret is written next to its place first, and moved there once the database has taken its
 * fingerprint: a server that dies in between finds it again, and a refused one leaves nothing.
 */
struct secret_file {
	const char *path;
	const char *new_path;
	bool is_new;
	struct key_secret secret;
};

err_t secret_read(struct arena *a, const char *path, struct secret_file *ret_file)
	__attribute__((warn_unused_result));

/*
 * For a backup: the file as it is, and as it was. *ret_text is empty when there is none. Writing
 * makes a new file, readable only by its owner.
 */
err_t secret_load(struct arena *a, const char *path, struct str *ret_text)
	__attribute__((warn_unused_result));
err_t secret_store(struct arena *a, const char *path, struct str text)
	__attribute__((warn_unused_result));
/* Whether the database's keys were made with it; nothing is written. ERR_PRECONDITION if not. */
err_t secret_check(struct db *db, const char *path, struct str text)
	__attribute__((warn_unused_result));

/*
 * ERR_PRECONDITION if the database belongs to another secret. If the secret is new, that of another
 * server is used if it began at the same time and was first.
 */
err_t secret_settle(struct db *db, struct secret_file *file) __attribute__((warn_unused_result));

#endif
