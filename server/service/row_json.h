#ifndef ROW_JSON_H
#define ROW_JSON_H

#include "json_out.h"
#include "labels.h"
#include "lines.h"
#include "series_rows.h"

/* Exact rows and console lines as JSON, for exports and for live listeners. */
struct row_names {
	const int32_t *key_ids; /* ascending */
	const struct str *names;
	size_t count;
};
struct str row_names_of(const struct row_names *names, int32_t key_id);

/*
 * A value whose JSON has more than ROW_VALUE_MAX_BYTES is written in a short form, an object, as no value of a row is:
 * {"head": "\"Once upon", "bytes": 10485760, "href": "history?format=ndjson&texts=whole&row=17&keys=story"}.
 */
enum { ROW_VALUE_MAX_BYTES = 64 << 10, ROW_VALUE_HEAD_BYTES = 1024 };
struct row_form {
	enum stream stream;
	bool whole; /* all values are written whole */
	struct str
		base; /* what an href begins with: "", or in an answer of a project "runs/RUN/" */
};
bool row_json_is_short(const struct row_form *form, const struct row_value *value);

/* {"_row":…,"_label":…,"_step":…,…}; events have no _step of their own. */
void row_json_write(struct json_out *o, const struct exact_row *row, const struct row_form *form,
		    struct str label, const struct row_names *names);
/* Writes its members into an open object. */
void row_json_put(struct json_out *o, const struct exact_row *row, const struct row_form *form,
		  struct str label, const struct row_names *names);
void row_json_write_value(struct json_out *o, const struct row_value *value);
/* "href", to the value of a row under a name, in an open object. */
void row_json_put_href(struct json_out *o, const char *member, int64_t row, struct str name,
		       const struct row_form *form);
void row_json_write_short(struct json_out *o, const struct row_value *value, int64_t row,
			  struct str name, const struct row_form *form);
void row_json_write_line(struct json_out *o, const struct line *line, int32_t writer,
			 struct str label);
/* Writes its members into an open object. */
void row_json_put_line(struct json_out *o, const struct line *line, int32_t writer,
		       struct str label);

#endif
