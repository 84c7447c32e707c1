/*
 * The certificate of a handshake. libmicrohttpd takes one at its start and never again; but it lets
 * GnuTLS ask for one in each handshake, and the answer can change.
 *
 * Changed files are read when they were the same at two looks: a program that renews them writes
 * one after the other. The targets of the paths are watched, so a symbolic link that changes
 * (certbot, Kubernetes) counts. inotify would have to watch each folder on the way.
 *
 * A pair that was replaced is kept until the end, for a handshake may be using it. There is a new one every
 * few weeks, of some kilobytes.
 */
#include "tls_certificate.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "clock.h"
#include "log.h"
#include "tls_pair.h"

enum {
	DAY_S = 86400,
	SOON_S = 14 * DAY_S,
	SOON_SHARE = 5, /* of a certificate that lives for less than ten weeks: its last fifth */
};

/* The identity of the file that a path leads to; zero if there is none. */
struct stamp {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified, changed;
};

struct stamps {
	struct stamp cert, key;
};

struct tls_certificate {
	const char *cert_path, *key_path;
	struct stamps seen; /* at the last look */
	struct stamps read; /* of these files: the pair in use, or the last refused one */
	int64_t tell_at_s;  /* when to log its end again */
};

/* GnuTLS's callback has no argument of ours. The rest of the list: pairs that were replaced. */
static _Atomic(struct tls_pair *) in_use;

static int retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
		    gnutls_pcert_st **certs, unsigned *certs_length, gnutls_ocsp_data_st **ocsp,
		    unsigned *ocsp_length, gnutls_privkey_t *privkey, unsigned *flags)
{
	struct tls_pair *pair = atomic_load(&in_use);

	(void)session;
	(void)info;
	*certs = pair->chain;
	*certs_length = pair->count;
	*ocsp = NULL;
	*ocsp_length = 0;
	*privkey = pair->key;
	*flags = 0; /* they stay ours */
	return 0;
}

void *tls_certificate_callback(void)
{
	gnutls_certificate_retrieve_function3 *function = retrieve;

	return (void *)(uintptr_t)function;
}

/* ---- the files --------------------------------------------------------------------------------- */

static struct stamp stamp_of(const char *path)
{
	struct stat facts;

	if (stat(path, &facts) != 0)
		return (struct stamp){ 0 };
	return (struct stamp){ facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim,
			       facts.st_ctim };
}

static struct stamps stamps_of(const struct tls_certificate *c)
{
	return (struct stamps){ stamp_of(c->cert_path), stamp_of(c->key_path) };
}

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_same_file(const struct stamp *a, const struct stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       is_same_time(a->modified, b->modified) && is_same_time(a->changed, b->changed);
}

static bool is_same(const struct stamps *a, const struct stamps *b)
{
	return is_same_file(&a->cert, &b->cert) && is_same_file(&a->key, &b->key);
}

/* ---- until when -------------------------------------------------------------------------------- */

static int64_t now_s(void)
{
	return clock_wall_us().us / 1000000;
}

static bool has_expired(const struct tls_pair *pair)
{
	return pair->ends <= now_s();
}

static bool ends_soon(const struct tls_pair *pair)
{
	int64_t soon_s = (pair->ends - pair->begins) / SOON_SHARE;

	return pair->ends - now_s() < (soon_s < SOON_S ? soon_s : SOON_S);
}

static void time_text(time_t t, char text[static CLOCK_TEXT_SIZE])
{
	clock_format((timestamp_us){ (int64_t)t * 1000000 }, text);
}

/* Logs it once a day, to be noticed, but not more. */
static void tell_end(struct tls_certificate *c, const struct tls_pair *pair)
{
	static const char renew[] = "renew it; the server reads the new files by itself";
	char begins[CLOCK_TEXT_SIZE], ends[CLOCK_TEXT_SIZE];

	if (now_s() < c->tell_at_s)
		return;
	c->tell_at_s = now_s() + DAY_S;
	time_text(pair->begins, begins);
	time_text(pair->ends, ends);
	if (has_expired(pair))
		log_error("the TLS certificate has expired: clients reject it",
			  LOG_TEXT("file", c->cert_path), LOG_TEXT("expired", ends),
			  LOG_TEXT("hint", renew));
	else if (ends_soon(pair))
		log_warning("the TLS certificate expires soon", LOG_TEXT("file", c->cert_path),
			    LOG_TEXT("expires", ends), LOG_TEXT("hint", renew));
	if (pair->begins > now_s())
		log_warning("the TLS certificate is not valid yet: clients reject it",
			    LOG_TEXT("file", c->cert_path), LOG_TEXT("valid_from", begins),
			    LOG_TEXT("hint", "check the clock of this machine"));
}

/* ---- the pair in use --------------------------------------------------------------------------- */

static void use(struct tls_certificate *c, struct tls_pair *pair)
{
	char ends[CLOCK_TEXT_SIZE];

	pair->next = atomic_load(&in_use);
	atomic_store(&in_use, pair);
	time_text(pair->ends, ends);
	log_info("TLS certificate loaded", LOG_TEXT("file", c->cert_path),
		 LOG_TEXT("subject", pair->subject), LOG_TEXT("expires", ends));
	c->tell_at_s = 0;
}

/* An expired one is used if there is nothing better. */
static err_t read_better(struct arena *a, struct tls_certificate *c, struct tls_pair **ret_pair)
{
	struct tls_pair *pair;
	err_t e = tls_pair_read(a, c->cert_path, c->key_path, &pair);

	if (e)
		return e;
	if (has_expired(pair) && !has_expired(atomic_load(&in_use))) {
		tls_pair_free(pair);
		return err_new(a, ERR_PRECONDITION, "the certificate in \"%s\" has expired",
			       c->cert_path);
	}
	*ret_pair = pair;
	return NULL;
}

static void read_again(struct tls_certificate *c)
{
	const struct tls_pair *old = atomic_load(&in_use);
	struct arena *a = arena_new(4096);
	struct tls_pair *pair;
	err_t e = read_better(a, c, &pair);

	if (e) {
		log_error("the TLS certificate was not replaced; the old one stays in use",
			  LOG_TEXT("error", err_chain(a, e)));
	} else if (memcmp(pair->sum, old->sum, sizeof(pair->sum)) == 0) {
		tls_pair_free(pair);
		log_info("the TLS certificate has not changed", LOG_TEXT("file", c->cert_path));
	} else {
		use(c, pair);
	}
	arena_free(a);
}

void tls_certificate_refresh(struct tls_certificate *c, enum tls_refresh when)
{
	struct stamps stamps;
	bool is_at_rest;

	if (!c)
		return;
	stamps = stamps_of(c);
	is_at_rest = is_same(&stamps, &c->seen);
	c->seen = stamps;
	if (when == TLS_REFRESH_NOW || (is_at_rest && !is_same(&stamps, &c->read))) {
		c->read = stamps;
		read_again(c);
	}
	tell_end(c, atomic_load(&in_use));
}

err_t tls_certificate_open(struct arena *a, const char *cert_path, const char *key_path,
			   struct tls_certificate **ret_certificate)
{
	struct tls_certificate *c;
	struct tls_pair *pair;
	err_t e;

	*ret_certificate = NULL;
	if (!cert_path && !key_path)
		return NULL;
	if (!cert_path || !key_path)
		return err_new(a, ERR_PRECONDITION,
			       "TLS requires both a certificate file and a key file");
	assert(!atomic_load(&in_use));
	c = arena_new_of(a, struct tls_certificate);
	c->cert_path = cert_path;
	c->key_path = key_path;
	c->seen = c->read = stamps_of(c);
	e = tls_pair_read(a, cert_path, key_path, &pair);
	if (e)
		return err_hint(
			a, e,
			"set tls_cert_file and tls_key_file to a certificate and its key, both "
			"in PEM format");
	use(c, pair);
	tell_end(c, pair);
	*ret_certificate = c;
	return NULL;
}

void tls_certificate_close(struct tls_certificate *c)
{
	struct tls_pair *pair = c ? atomic_exchange(&in_use, NULL) : NULL;

	while (pair) {
		struct tls_pair *next = pair->next;

		tls_pair_free(pair);
		pair = next;
	}
}

int64_t tls_certificate_ends_s(const struct tls_certificate *c)
{
	(void)c;
	return atomic_load(&in_use)->ends;
}

err_t tls_certificate_check(struct arena *a, const char *cert_path, const char *key_path,
			    struct tls_validity *ret_validity)
{
	struct tls_pair *pair;
	err_t e = tls_pair_read(a, cert_path, key_path, &pair);

	if (e)
		return e;
	*ret_validity = (struct tls_validity){ pair->chain_begins, pair->chain_ends, pair->ends };
	tls_pair_free(pair);
	return NULL;
}
