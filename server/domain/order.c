/* Orders: "-summary.loss,created_at", "min(loss)". The names are those of filters, and of metrics. */
#include "order.h"

#include "buf.h"
#include "filter_build.h"
#include "key_list.h"
#include "name.h"

typedef err_t read_fn(struct arena *a, struct str name, struct filter_bare *bare,
		      struct order_key *ret_key);

static err_t read_path(struct arena *a, struct str name, struct filter_bare *bare,
		       struct order_key *ret_key)
{
	struct filter_key key;
	struct err *copy;
	err_t e = filter_key_find(a, name, bare, &key);

	if (e) {
		copy = err_field(a, e->kind, "order", "%s", e->message);
		copy->hint = e->hint;
		return copy;
	}
	if (key.kind == FILTER_KEY_TAG)
		return err_field(a, ERR_INVALID, "order", "cannot order by a single tag");
	ret_key->path = key.path;
	return NULL;
}

static const struct {
	const char *begins;
	enum order_of of;
} metrics[] = {
	{ "last(", ORDER_OF_LAST },
	{ "min(", ORDER_OF_MIN },
	{ "max(", ORDER_OF_MAX },
	{ "mean(", ORDER_OF_MEAN },
};

/* Reads the metric between the brackets of "min(…)"; false if it is not such a key. */
static bool find_metric(struct str name, struct order_key *ret_key)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		const struct str begins = str_of(metrics[i].begins);

		if (!str_starts(name, metrics[i].begins) || name.at[name.len - 1] != ')')
			continue;
		ret_key->of = metrics[i].of;
		ret_key->metric = (struct str){ name.at + begins.len, name.len - begins.len - 1 };
		return true;
	}
	return false;
}

static err_t read_metric(struct arena *a, struct str name, struct filter_bare *bare,
			 struct order_key *ret_key)
{
	if (find_metric(name, ret_key))
		return name_check(a, NAME_METRIC, "order", ret_key->metric);
	return read_path(a, name, bare, ret_key);
}

/* How the keys of one order are read. */
struct reading {
	read_fn *read;
	struct filter_bare *bare;
};

static err_t read_key(struct arena *a, struct str text, const struct reading *how,
		      struct order_key *ret_key)
{
	struct str name = str_trim(text);

	*ret_key = (struct order_key){ .descending = name.len && name.at[0] == '-' };
	if (name.len && (name.at[0] == '-' || name.at[0] == '+'))
		name = (struct str){ name.at + 1, name.len - 1 };
	if (!name.len)
		return err_field(a, ERR_INVALID, "order", "expected a key");
	return how->read(a, name, how->bare, ret_key);
}

static err_t check_text(struct arena *a, struct str text)
{
	if (text.len > FILTER_TEXT_MAX || !str_is_utf8(text) || str_has_control(text))
		return err_field(a, ERR_INVALID, "order", "the order must be a string");
	return NULL;
}

err_t order_parse_key(struct arena *a, struct str name, struct filter_bare *bare,
		      struct filter_path *ret_path)
{
	struct order_key key = { .of = ORDER_OF_DOCUMENT };
	err_t e = check_text(a, name);

	if (!e)
		e = read_path(a, str_trim(name), bare, &key);
	if (!e)
		*ret_path = key.path;
	return e;
}

static err_t parse(struct arena *a, struct str text, const struct reading *how,
		   struct order *ret_order)
{
	struct str rest = str_trim(text);
	struct order order = { .count = 0 };
	err_t e = check_text(a, text);

	if (e)
		return e;
	while (rest.len) {
		if (order.count == ORDER_KEYS_MAX)
			return err_field(a, ERR_INVALID, "order", "more than %d keys",
					 ORDER_KEYS_MAX);
		e = read_key(a, key_list_next(a, &rest), how, &order.keys[order.count++]);
		if (e)
			return e;
	}
	*ret_order = order;
	return NULL;
}

err_t order_parse_bare(struct arena *a, struct str text, struct filter_bare *bare,
		       struct order *ret_order)
{
	return parse(a, text, &(struct reading){ read_path, bare }, ret_order);
}

err_t order_parse_metrics_bare(struct arena *a, struct str text, struct filter_bare *bare,
			       struct order *ret_order)
{
	return parse(a, text, &(struct reading){ read_metric, bare }, ret_order);
}

err_t order_parse(struct arena *a, struct str text, struct order *ret_order)
{
	return order_parse_bare(a, text, NULL, ret_order);
}

err_t order_parse_metrics(struct arena *a, struct str text, struct order *ret_order)
{
	return order_parse_metrics_bare(a, text, NULL, ret_order);
}

struct str order_path_text(struct arena *a, const struct filter_path *path)
{
	struct buf *b = buf_new(a);

	buf_add_byte(b, '{');
	for (size_t i = 0; i < path->count; i++) {
		struct str name = path->names[i];

		buf_add_text(b, i ? ",\"" : "\"");
		for (size_t k = 0; k < name.len; k++) {
			if (name.at[k] == '"' || name.at[k] == '\\')
				buf_add_byte(b, '\\');
			buf_add_byte(b, name.at[k]);
		}
		buf_add_byte(b, '"');
	}
	buf_add_byte(b, '}');
	buf_add_byte(b, '\0');
	return (struct str){ b->at, b->len - 1 };
}
