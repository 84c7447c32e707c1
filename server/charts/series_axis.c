#include "series_axis.h"

#include <math.h>

#include "name.h"

#define STEP_LARGEST 0x1p53
#define SECONDS_LARGEST 253402300799.0

static bool is_steps(const struct axis *axis)
{
	return axis->x.axis == SERIES_STEP;
}

static err_t read_scale(struct arena *a, struct str scale, struct axis *axis)
{
	if (!scale.at || str_is(scale, "linear"))
		return NULL;
	if (!str_is(scale, "log"))
		return err_field(a, ERR_INVALID, "scale", "must be linear or log");
	if (axis->x.axis == SERIES_TIME)
		return err_field(a, ERR_INVALID, "scale",
				 "the logarithmic scale cannot be used with absolute "
				 "times");
	axis->x.log = true;
	return NULL;
}

err_t axis_read(struct arena *a, struct str name, struct str scale, enum stream stream,
		struct axis *ret_axis)
{
	struct axis axis = { .x = { .axis = SERIES_KEY, .key_id = INT32_MAX },
			     .name = name,
			     .stream = stream };
	err_t e = NULL;

	if (!name.at)
		axis.name = stream == STREAM_EVENTS ? STR("_timestamp") : STR("_step");
	if (str_is(axis.name, "_step"))
		axis.x.axis = SERIES_STEP;
	else if (str_is(axis.name, "_timestamp"))
		axis.x.axis = SERIES_TIME;
	else if (str_is(axis.name, "_relative"))
		axis.x.axis = SERIES_RELATIVE;
	else if (str_is(axis.name, "_process"))
		axis.x.axis = SERIES_PROCESS;
	else
		e = name_check(a, NAME_METRIC, "x", axis.name);
	if (!e)
		e = read_scale(a, scale, &axis);
	if (!e)
		*ret_axis = axis;
	return e;
}

bool axis_is_steps(struct str key, enum stream stream)
{
	return stream == STREAM_HISTORY && str_is(key, "_step");
}

err_t axis_refuse_steps(struct arena *a, const char *field)
{
	return err_field(a, ERR_INVALID, field,
			 "\"_step\" is an axis, not a metric: use it as \"x\"");
}

struct str axis_key_name(const struct axis *axis)
{
	return axis->x.axis == SERIES_KEY ? axis->name : STR("_timestamp");
}

err_t axis_position(struct arena *a, const struct axis *axis, const char *field, double number,
		    int64_t *ret_position)
{
	if (axis->x.axis == SERIES_KEY) {
		if (!isfinite(number))
			return err_field(a, ERR_INVALID, field, "must be a finite number");
		*ret_position = sample_position(number);
		return NULL;
	}
	if (is_steps(axis)) {
		if (!(number >= 0 && number <= STEP_LARGEST && number == floor(number)))
			return err_field(a, ERR_INVALID, field,
					 "must be an integer from 0 to 2^53");
		*ret_position = (int64_t)number;
		return NULL;
	}
	if (!(number >= 0 && number <= SECONDS_LARGEST))
		return err_field(a, ERR_INVALID, field, "must be seconds since %s",
				 axis->x.axis == SERIES_TIME ? "1970" : "the beginning");
	*ret_position = llround(number * 1e6);
	return NULL;
}

double axis_number(const struct axis *axis, int64_t position)
{
	if (axis->x.axis == SERIES_KEY)
		return sample_real(position);
	return is_steps(axis) ? (double)position : (double)position / 1e6;
}

bool axis_is_by_rows(const struct axis *axis)
{
	return is_steps(axis) && axis->stream == STREAM_EVENTS;
}

void axis_put(struct json_out *o, const char *key, const struct axis *axis, int64_t position)
{
	if (is_steps(axis))
		json_out_put_int(o, key, position);
	else
		json_out_put_real(o, key, axis_number(axis, position));
}

void axis_put_aside(struct json_out *o, const struct axis *axis, const struct sampled_aside *aside)
{
	if (!axis_is_by_rows(axis))
		return;
	json_out_key(o, "without_step");
	json_out_object(o);
	json_out_put_real(o, "before", (double)aside->before / 1e6);
	json_out_put_real(o, "after", (double)aside->after / 1e6);
	json_out_put_bool(o, "without_rows", aside->without_rows);
	json_out_object_end(o);
}
