#include "file_json.h"

#include <sodium.h>

#include "file_link.h"
#include "file_name.h"
#include "file_type.h"
#include "json_in.h"

enum { NAMES_MAX = 1000 };

err_t file_json_write(struct json_out *o, struct request *q, int64_t run_id,
		      const struct run_file *file)
{
	const struct file_link_ask ask = {
		.use = SIGNED_READ,
		.run_id = run_id,
		.name = file->name,
		.client = STR(""),
	};
	char md5[2 * FILE_MD5_SIZE + 1];
	struct str link;
	err_t e = file_link(q, &ask, &link);

	if (e)
		return e;
	sodium_bin2hex(md5, sizeof(md5), (const unsigned char *)file->md5.at, FILE_MD5_SIZE);
	json_out_object(o);
	json_out_put_text(o, "name", file->name);
	json_out_put_int(o, "bytes", file->size_bytes);
	json_out_put_text(o, "md5", str_of(md5));
	json_out_put_text(o, "content_type", str_of(file_type_of(file->name).media_type));
	json_out_put_time(o, "updated_at", file->updated_at);
	json_out_put_text_or_null(o, "user", file->user_name);
	json_out_put_text_or_null(o, "writer", file->client);
	json_out_put_text(o, "link", link);
	json_out_object_end(o);
	return NULL;
}

err_t file_json_read_names(struct request *q, struct str **ret_names, size_t *ret_count)
{
	const struct str *sent;
	struct str *names;
	struct json_in in;
	size_t count;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	sent = json_in_texts(&in, "names", NAMES_MAX, FILE_NAME_MAX, &count);
	e = json_in_end(&in);
	names = arena_new_array(q->arena, struct str, count + 1);
	for (size_t i = 0; i < count && !e; i++)
		e = file_name_read(q->arena, arena_printf(q->arena, "names[%zu]", i), sent[i],
				   &names[i]);
	if (!e && !count)
		e = err_field(q->arena, ERR_INVALID, "names", "\"names\" contains no name");
	if (e)
		return e;
	*ret_names = names;
	*ret_count = count;
	return NULL;
}
