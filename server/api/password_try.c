#include "password_try.h"

#include <inttypes.h>

#include "app.h"
#include "audit_note.h"
#include "auth_session.h"
#include "password.h"
#include "reply.h"

err_t password_try_wrong(struct request *q)
{
	struct err *e = err_new(q->arena, ERR_UNAUTHORIZED, "wrong name or password");

	e->hint = "an admin can set a password on the server's host: cairnd user passwd NAME";
	return e;
}

static struct sign_in_try try_of(struct request *q, const struct sign_in *in)
{
	return (struct sign_in_try){ in->name, q->client_address, auth_device(q, in->name) };
}

/* No transaction is open meanwhile: it takes long. */
static err_t look_at_password(struct request *q, const struct sign_in *in,
			      struct account_password **ret_found)
{
	struct account_password *found;
	err_t e = account_store_find_password(q->db, in->name, &found);

	if (e)
		return e;
	if (!password_matches(in->password, found ? found->password_hash.at : NULL))
		return password_try_wrong(q);
	*ret_found = found;
	return NULL;
}

err_t password_try_begin(struct request *q, const struct sign_in_try *t)
{
	int64_t wait_s;
	err_t e = sign_in_gate_enter(q->app->sign_in_gate, q->arena, t, clock_mono_us(), &wait_s);

	if (e)
		reply_header(q, "Retry-After", arena_printf(q->arena, "%" PRId64, wait_s));
	return e;
}

err_t password_try_end(struct request *q, const struct sign_in_try *t, err_t e)
{
	bool is_wrong = e && e->kind == ERR_UNAUTHORIZED;
	err_t failed;

	sign_in_gate_leave(q->app->sign_in_gate, t, is_wrong ? SIGN_IN_WRONG : SIGN_IN_RIGHT);
	failed = is_wrong ? audit_note_refused(q, t->name) : NULL;
	return failed ? failed : e;
}

err_t password_try(struct request *q, const struct sign_in *in, struct account_password **ret_found)
{
	const struct sign_in_try t = try_of(q, in);
	err_t e = password_try_begin(q, &t);

	return e ? e : password_try_end(q, &t, look_at_password(q, in, ret_found));
}

err_t password_try_hash(struct request *q, const struct sign_in *in, const char **ret_hash)
{
	const struct sign_in_try t = try_of(q, in);
	err_t e = password_try_begin(q, &t);

	return e ? e : password_try_end(q, &t, password_hash(q->arena, in->password, ret_hash));
}
