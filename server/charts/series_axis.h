#ifndef SERIES_AXIS_H
#define SERIES_AXIS_H

#include "json_out.h"
#include "series_sampled.h"

/*
 * The x axis as a client names it: "_step", "_timestamp" (seconds since 1970), "_relative" (seconds
 * since the run's earliest time), "_process" (since that of the same writer), or a metric. The server holds positions on
 * an axis as whole numbers.
 */
struct axis {
	struct series_x x; /* its key_id is the caller's to find: key_name */
	struct str name;
	enum stream stream;
};

/* `name` and `scale` ("linear", "log") may be absent. */
err_t axis_read(struct arena *a, struct str name, struct str scale, enum stream stream,
		struct axis *ret_axis) __attribute__((warn_unused_result));

/* Returns whether the key is the step of rows, which is not a metric and has no series. */
bool axis_is_steps(struct str key, enum stream stream);
err_t axis_refuse_steps(struct arena *a, const char *field) __attribute__((warn_unused_result));

/* Returns whether it is the axis of system metrics by steps, which are found from the rows of history. */
bool axis_is_by_rows(const struct axis *axis);

/* The key the axis needs: the metric, or "_timestamp". */
struct str axis_key_name(const struct axis *axis);

/* Converts a number of the client. An error for `field` if it is not valid on the axis. */
err_t axis_position(struct arena *a, const struct axis *axis, const char *field, double number,
		    int64_t *ret_position) __attribute__((warn_unused_result));
double axis_number(const struct axis *axis, int64_t position);
void axis_put(struct json_out *o, const char *key, const struct axis *axis, int64_t position);

/* Writes "without_step", if the axis takes its positions from rows: what has no position on it. */
void axis_put_aside(struct json_out *o, const struct axis *axis, const struct sampled_aside *aside);

#endif
