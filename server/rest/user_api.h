#ifndef USER_API_H
#define USER_API_H

#include "entity_store.h"
#include "request.h"

/* Users of the server, for its admins: /api/v1/users. */
err_t user_api_list(struct request *q);
err_t user_api_post(struct request *q);
err_t user_api_show(struct request *q);
err_t user_api_patch(struct request *q);

/* Keys of a user: listed and revoked for all, made for service accounts. /api/v1/users/{user}/keys */
err_t user_api_list_keys(struct request *q);
err_t user_api_post_key(struct request *q);
err_t user_api_delete_key(struct request *q);

/* ERR_NOT_FOUND, of that field, if there is no such user. */
err_t user_api_find(struct request *q, const char *field, struct str name,
		    struct account **ret_account) __attribute__((warn_unused_result));

#endif
