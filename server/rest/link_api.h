#ifndef LINK_API_H
#define LINK_API_H

#include "request.h"

/* One-time links, for admins of the server: /api/v1/links. */
err_t link_api_list(struct request *q);
err_t link_api_post(struct request *q);
err_t link_api_delete(struct request *q);

/* POST /api/v1/links/read: what a link is for, for its holder. */
err_t link_api_read(struct request *q);
/* POST /api/v1/links/use: makes the user or sets the password, and signs in; the answer sets the cookie. */
err_t link_api_use(struct request *q);

#endif
