#ifndef VIEWER_KEY_API_H
#define VIEWER_KEY_API_H

#include "request.h"

/* The owner of keys. */
struct key_user {
	int64_t user_id;
	struct str name;
};

/* The caller's own keys: /api/v1/viewer/keys */
err_t viewer_key_api_list(struct request *q);
err_t viewer_key_api_post(struct request *q);
err_t viewer_key_api_delete(struct request *q);

/* The same for another user. */
err_t viewer_key_api_list_of(struct request *q, int64_t user_id);
err_t viewer_key_api_post_of(struct request *q, const struct key_user *user);
err_t viewer_key_api_delete_of(struct request *q, const struct key_user *user);

#endif
