#include "page_api.h"

#include "static_files.h"

err_t page_api_show(struct request *q)
{
	static_files_reply_page(q, "index.html");
	return NULL;
}
