#ifndef SEARCH_QUERY_H
#define SEARCH_QUERY_H

#include "json_out.h"
#include "order.h"
#include "request.h"
#include "search.h"

/* The parts of a query that lists and groups of runs share. */

/* Reads the project, the caller, "filter", and the group that "group" names among those by "group_by". */
err_t search_query_read(struct request *q, struct search_question *ret_question)
	__attribute__((warn_unused_result));

/*
 * Filters, orders and keys may name a key without its section (filter.h). Each is parsed again when the project's runs
 * show which section has it. The question has the project and the caller.
 */
err_t search_query_filter(struct request *q, struct str text, struct search_question *question)
	__attribute__((warn_unused_result));
/* The same for the request's project. */
err_t search_query_bare(struct request *q, struct filter_bare *bare)
	__attribute__((warn_unused_result));
/* Returns how questions of this request fold in pending changes, within the limits of the configuration. */
struct search_fold *search_query_fold(struct request *q);
/* Write the header Cairn-Behind and the member "behind_s", if the answer lacks something that was acknowledged. */
void search_query_tell_age(struct request *q, const struct search_fold *fold);
void search_query_write_age(struct request *q, struct json_out *o, const struct search_fold *fold);

/* Reads a key, as in a filter. A missing parameter gives a key without names. */
err_t search_query_key(struct request *q, const char *name, struct filter_path *ret_path)
	__attribute__((warn_unused_result));

/* Reads keys with commas in between, at most `most`, for which `paths` has room. */
err_t search_query_keys(struct request *q, const char *name, size_t most, struct filter_path *paths,
			size_t *ret_count) __attribute__((warn_unused_result));

/*
 * A value as text, in cursors and as the name of a group: "text:adam", "number:0.1", "bool:true", "list:…",
 * "object:…", "null", "none". ERR_INVALID with the field for other texts.
 */
const char *search_query_value_text(struct request *q, const struct search_value *value);
err_t search_query_value(struct request *q, const char *field, struct str text,
			 struct search_value *ret_value) __attribute__((warn_unused_result));
/* Writes numbers and booleans as they are, a list or an object as the text it begins with, no value as null. */
void search_query_write_value(struct json_out *o, const struct search_value *value);
/* "text", "number", … */
const char *search_query_kind(int16_t rank);
/* {"count": …, "min": …, "max": …, "mean": …, "std": …}, as far as there are any. */
void search_query_write_numbers(struct json_out *o, const struct search_numbers *numbers);
/* "kinds": of ranks, a bit for each. */
void search_query_write_kinds(struct json_out *o, unsigned ranks);

#endif
