#ifndef SESSION_JSON_H
#define SESSION_JSON_H

#include "request.h"
#include "session.h"

struct sign_in {
	struct str name;
	struct str password;
};

struct password_change {
	struct str old_password;
	struct str new_password;
};

struct first_admin {
	struct sign_in who;
	struct str token;
};

err_t session_json_read_first(struct request *q, struct first_admin *ret_first)
	__attribute__((warn_unused_result));
err_t session_json_read_change(struct request *q, struct password_change *ret_change)
	__attribute__((warn_unused_result));
err_t session_json_read(struct request *q, struct sign_in *ret_sign_in)
	__attribute__((warn_unused_result));
/* Nobody is signed in when `session` is NULL. */
void session_json_reply_state(struct request *q, const struct session *session, bool has_users);
void session_json_reply(struct request *q, struct str name, const struct session *session);

#endif
