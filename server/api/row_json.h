#ifndef ROW_JSON_H
#define ROW_JSON_H

#include "json_out.h"
#include "labels.h"
#include "lines.h"
#include "series_rows.h"

/* Exact rows and console lines as JSON, for exports and live listeners alike. */
struct row_names {
	const int32_t *key_ids; /* ascending */
	const struct str *names;
	size_t count;
};
struct str row_names_of(const struct row_names *names, int32_t key_id);

/* {"_row":…,"_label":…,"_step":…,…}; events have no _step of their own. */
void row_json_write(struct json_out *o, const struct exact_row *row, enum stream stream,
		    struct str label, const struct row_names *names);
/* Its members, into an object that was begun. */
void row_json_put(struct json_out *o, const struct exact_row *row, enum stream stream,
		  struct str label, const struct row_names *names);
void row_json_write_value(struct json_out *o, const struct row_value *value);
void row_json_write_line(struct json_out *o, const struct line *line, int32_t writer,
			 struct str label);
/* Its members, into an object that was begun. */
void row_json_put_line(struct json_out *o, const struct line *line, int32_t writer,
		       struct str label);

#endif
