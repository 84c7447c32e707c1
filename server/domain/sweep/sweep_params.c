/* Values of a point as the JSON object that agents get: nested names are objects again. */
#include "arena.h"
#include "buf.h"
#include "json_out.h"
#include "sweep_space_inside.h"

struct writer {
	const struct sweep_space *s;
	const struct sweep_value *values;
	bool is_wrapped; /* {"value": ...} at the top */
	struct buf *out;
};

/* The end of the parameters from `from` on that have the same name at this depth. */
static size_t end_of_group(const struct writer *w, size_t from, size_t end, size_t depth)
{
	const struct sweep_parameter *p = w->s->config->parameters;
	size_t i = from + 1;

	while (i < end && p[i].depth > depth + 1 && p[from].depth > depth + 1 &&
	       str_equal(p[i].path[depth], p[from].path[depth]))
		i++;
	return i;
}

static bool has_any(const struct writer *w, size_t from, size_t end)
{
	for (; from < end; from++)
		if (w->values[from].kind != SWEEP_ABSENT)
			return true;
	return false;
}

static void write_level(struct writer *w, size_t from, size_t end, size_t depth)
{
	const struct sweep_parameter *p = w->s->config->parameters;
	struct json_out name;
	bool is_first = true;

	buf_add_byte(w->out, '{');
	for (size_t i = from, next; i < end; i = next) {
		next = end_of_group(w, i, end, depth);
		if (!has_any(w, i, next))
			continue;
		if (!is_first)
			buf_add_byte(w->out, ',');
		is_first = false;
		name = json_out_begin(w->out);
		json_out_text(&name, p[i].path[depth]);
		buf_add_text(w->out, depth == 0 && w->is_wrapped ? ":{\"value\":" : ":");
		if (p[i].depth > depth + 1)
			write_level(w, i, next, depth + 1);
		else
			sweep_value_write(w->out, &w->values[i]);
		if (depth == 0 && w->is_wrapped)
			buf_add_byte(w->out, '}');
	}
	buf_add_byte(w->out, '}');
}

static struct str write_params(struct arena *a, const struct sweep_space *s,
			       const struct sweep_value *values, bool is_wrapped)
{
	struct writer w = { s, values, is_wrapped, buf_new(a) };

	write_level(&w, 0, s->config->parameter_count, 0);
	return buf_str(w.out);
}

struct str sweep_space_params(struct arena *a, const struct sweep_space *s,
			      const struct sweep_value *values)
{
	return write_params(a, s, values, false);
}

struct str sweep_space_args(struct arena *a, const struct sweep_space *s,
			    const struct sweep_value *values)
{
	return write_params(a, s, values, true);
}
