#include "auth_session.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "app.h"
#include "auth_parts.h"
#include "device.h"
#include "log.h"
#include "reply.h"
#include "server_store.h"
#include "session_store.h"

#define COOKIE "cairn_session"
#define DEVICE_COOKIE "cairn_device"

enum { DEVICE_LIFETIME_S = 365 * 24 * 3600 };

const struct session_limits *auth_session_limits(const struct auth *auth)
{
	return &auth->session_limits;
}

/* ---- the cookie -------------------------------------------------------------------------------- */

/* Cuts off all up to the next of that name, whose value it returns; false when there is none. */
static bool next_cookie(struct str *rest, const char *name, struct str *ret_value)
{
	while (rest->len) {
		struct str value = str_cut(rest, ';');

		if (!str_is(str_trim(str_cut(&value, '=')), name))
			continue;
		*ret_value = str_trim(value);
		return true;
	}
	return false;
}

/* Only the first that could be one of ours: a browser may hold some of other servers of this host. */
struct str auth_cookie(const struct request *q)
{
	struct str rest = request_header(q, "Cookie");
	struct str value;

	while (next_cookie(&rest, COOKIE, &value)) {
		if (session_is_token(value))
			return value;
	}
	return STR("");
}

/* Below our prefix alone, where there is one that can stand in a cookie. */
static struct str cookie_path(const struct request *q)
{
	bool fits = q->prefix.len && !memchr(q->prefix.at, ';', q->prefix.len);

	return fits ? q->prefix : STR("/");
}

static void set_cookie(struct request *q, const char *name, struct str value, int64_t lifetime_s)
{
	struct str path = cookie_path(q);

	reply_header(q, "Set-Cookie",
		     arena_printf(q->arena,
				  "%s=%.*s; Path=%.*s; Max-Age=%" PRId64
				  "; HttpOnly; SameSite=Lax%s",
				  name, STR_ARG(value), STR_ARG(path), lifetime_s,
				  q->is_https ? "; Secure" : ""));
}

void auth_set_cookie(struct request *q, const char *token, int64_t lifetime_s)
{
	set_cookie(q, COOKIE, str_of(token), token ? lifetime_s : 0);
}

static struct str device_text(const struct request *q, struct str user)
{
	struct str rest = request_header(q, "Cookie");
	struct str value;

	while (next_cookie(&rest, DEVICE_COOKIE, &value)) {
		if (device_is_of(&q->app->secret, value, user))
			return value;
	}
	return STR("");
}

struct str auth_device(const struct request *q, struct str user)
{
	struct str text = device_text(q, user);

	return text.len ? device_id(text) : text;
}

void auth_set_device(struct request *q, struct str user)
{
	char made[DEVICE_TEXT_SIZE + 1];
	struct str text = device_text(q, user);

	if (!text.len) {
		device_make(&q->app->secret, user, made);
		text = str_of(made);
	}
	set_cookie(q, DEVICE_COOKIE, text, DEVICE_LIFETIME_S);
}

/* ---- whose it is ------------------------------------------------------------------------------- */

/* As with keys, no failure matters. */
static void note_use(struct request *q, const unsigned char *hash, struct session *session,
		     timestamp_us now)
{
	err_t e;

	if (!session_see(session, &q->app->auth->session_limits, now))
		return;
	e = session_store_save(q->db, hash, session);
	if (e)
		log_debug("cannot record the use of a session",
			  LOG_TEXT("error", err_chain(q->arena, e)));
}

err_t auth_look_up_session(struct request *q, const unsigned char *hash,
			   struct identity_fact *ret_fact, bool *ret_found)
{
	struct session *session;
	timestamp_us now;
	err_t e = server_store_now(q->db, &now);

	*ret_found = false;
	if (!e)
		e = session_store_find(q->db, hash, now, &session);
	if (e || !session)
		return e;
	*ret_fact = (struct identity_fact){
		.user_id = session->user_id,
		.default_entity_id = session->default_entity_id,
		.scope = KEY_SCOPE_ADMIN,
		.is_admin = session->is_admin,
	};
	memcpy(ret_fact->session, hash, sizeof(ret_fact->session));
	e = auth_keep_name(q, session->user, ret_fact);
	if (e)
		return e;
	note_use(q, hash, session, now);
	*ret_found = true;
	return NULL;
}

/* ---- from which page --------------------------------------------------------------------------- */

enum page {
	PAGE_NONE, /* nobody says that there is any */
	PAGE_OURS,
	PAGE_FOREIGN,
};

/* "https://cairn.example:443" is also written without its port. */
static struct str without_usual_port(struct str host, struct str scheme)
{
	const char *port = str_is(scheme, "https") ? ":443" : ":80";
	size_t len = strlen(port);

	if (host.len > len && memcmp(host.at + host.len - len, port, len) == 0)
		host.len -= len;
	return host;
}

static bool is_same_host(struct str a, struct str b)
{
	return a.len == b.len && a.len && strncasecmp(a.at, b.at, a.len) == 0;
}

/* The host alone: whether it came by https is not known behind a proxy that is not trusted. */
static bool is_our_origin(const struct request *q, struct str origin)
{
	struct str scheme = str_cut(&origin, ':');

	if ((!str_is(scheme, "http") && !str_is(scheme, "https")) || !str_starts(origin, "//"))
		return false;
	origin.at += 2;
	origin.len -= 2;
	return is_same_host(without_usual_port(origin, scheme),
			    without_usual_port(q->host, scheme));
}

/* All of an address before its path. */
static struct str origin_of(struct str address)
{
	int slashes = 0;

	for (size_t i = 0; i < address.len; i++) {
		if (address.at[i] == '/' && ++slashes == 3)
			address.len = i;
	}
	return address;
}

bool auth_is_from_our_page(const struct request *q)
{
	return is_our_origin(q, origin_of(request_header(q, "Referer")));
}

static enum page page_of(const struct request *q)
{
	struct str site = request_header(q, "Sec-Fetch-Site");
	struct str origin = request_header(q, "Origin");

	if (site.len)
		return str_is(site, "same-origin") ? PAGE_OURS : PAGE_FOREIGN;
	if (!origin.len)
		return PAGE_NONE;
	return is_our_origin(q, origin) ? PAGE_OURS : PAGE_FOREIGN;
}

static err_t foreign(struct request *q)
{
	struct err *e = err_new(q->arena, ERR_FORBIDDEN,
				"a password session may change things only from this server's "
				"own pages");

	e->hint = arena_printf(q->arena,
			       "the host of this request is \"%.*s\": a proxy must forward the "
			       "header \"Host\" or be in trusted_proxies; programs must send a key",
			       STR_ARG(q->host));
	return e;
}

err_t auth_check_page(struct request *q)
{
	return page_of(q) == PAGE_OURS ? NULL : foreign(q);
}

err_t auth_refuse_foreign(struct request *q)
{
	return page_of(q) == PAGE_FOREIGN ? foreign(q) : NULL;
}
