/*
 * Parameters in the server's binary form: numbers in network byte order, times in microseconds
 * since 2000, arrays as a small header and one length and value per element. Text and bytes are
 * sent from where they are; the rest goes to one buffer, sized before it is written, since libpq
 * keeps pointers into it.
 */
#include <assert.h>
#include <endian.h>
#include <limits.h>
#include <string.h>

#include "db_conn.h"
#include "db_types.h"

enum { MOST_PARAMS = 64, ARRAY_HEADER_SIZE = 20 };

/* How many bytes of the buffer a parameter needs. */
static size_t array_size(const struct db_param *p)
{
	const struct db_type_info *element = db_type_info(db_type_info(p->type)->element);
	const struct str *s = p->array;
	size_t size = ARRAY_HEADER_SIZE + p->count * (4 + element->size);

	if (element->size)
		return size;
	for (size_t i = 0; i < p->count; i++)
		size += s[i].len + (element->oid == OID_JSONB);
	return size;
}

static size_t wire_size(const struct db_param *p)
{
	const struct db_type_info *t = db_type_info(p->type);

	if (p->null)
		return 0;
	if (t->is_array)
		return array_size(p);
	return p->type == DB_JSONB ? p->bytes.len + 1 : t->size;
}

static void add_be16(struct buf *b, uint16_t value)
{
	value = htobe16(value);
	buf_add(b, &value, sizeof(value));
}

static void add_be32(struct buf *b, uint32_t value)
{
	value = htobe32(value);
	buf_add(b, &value, sizeof(value));
}

static void add_be64(struct buf *b, uint64_t value)
{
	value = htobe64(value);
	buf_add(b, &value, sizeof(value));
}

static void add_real(struct buf *b, double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	add_be64(b, bits);
}

static void add_jsonb(struct buf *b, struct str text)
{
	buf_add_byte(b, JSONB_VERSION);
	buf_add(b, text.at, text.len);
}

static void add_scalar(struct buf *b, const struct db_param *p)
{
	switch (p->type) {
	case DB_BOOL:
		buf_add_byte(b, p->number != 0);
		break;
	case DB_INT2:
		add_be16(b, (uint16_t)p->number);
		break;
	case DB_INT4:
		add_be32(b, (uint32_t)p->number);
		break;
	case DB_INT8:
		add_be64(b, (uint64_t)p->number);
		break;
	case DB_TIMESTAMP:
		add_be64(b, (uint64_t)(p->number - PG_EPOCH_US));
		break;
	case DB_FLOAT8:
		add_real(b, p->real);
		break;
	case DB_JSONB:
		add_jsonb(b, p->bytes);
		break;
	default:
		assert(!"a type that is sent from where it lies");
	}
}

/* An array's element as if it were a parameter of its own. */
static struct db_param element_at(const struct db_param *array, size_t i)
{
	struct db_param p = { .type = db_type_info(array->type)->element };

	switch (p.type) {
	case DB_BOOL:
		p.number = ((const bool *)array->array)[i];
		break;
	case DB_INT2:
		p.number = ((const int16_t *)array->array)[i];
		break;
	case DB_INT4:
		p.number = ((const int32_t *)array->array)[i];
		break;
	case DB_INT8:
	case DB_TIMESTAMP:
		p.number = ((const int64_t *)array->array)[i];
		break;
	case DB_FLOAT8:
		p.real = ((const double *)array->array)[i];
		break;
	default:
		p.bytes = ((const struct str *)array->array)[i];
		p.null = !p.bytes.at;
	}
	return p;
}

static void add_element(struct buf *b, const struct db_param *p)
{
	const struct db_type_info *t = db_type_info(p->type);

	if (p->null) {
		add_be32(b, UINT32_MAX);
		return;
	}
	if (t->size) {
		add_be32(b, (uint32_t)t->size);
		add_scalar(b, p);
		return;
	}
	add_be32(b, (uint32_t)p->bytes.len + (p->type == DB_JSONB));
	if (p->type == DB_JSONB)
		add_jsonb(b, p->bytes);
	else
		buf_add(b, p->bytes.at, p->bytes.len);
}

static bool has_nulls(const struct db_param *array)
{
	for (size_t i = 0; i < array->count; i++) {
		if (element_at(array, i).null)
			return true;
	}
	return false;
}

static void add_array(struct buf *b, const struct db_param *p)
{
	const struct db_type_info *element = db_type_info(db_type_info(p->type)->element);
	bool strings = !element->size;

	add_be32(b, p->count ? 1 : 0); /* dimensions */
	add_be32(b, strings && has_nulls(p));
	add_be32(b, element->oid);
	if (!p->count)
		return;
	add_be32(b, (uint32_t)p->count);
	add_be32(b, 1); /* the first index */
	for (size_t i = 0; i < p->count; i++) {
		struct db_param e = element_at(p, i);

		add_element(b, &e);
	}
}

static void encode_one(struct buf *b, const struct db_param *p, struct db_wire *w, int i)
{
	const struct db_type_info *t = db_type_info(p->type);
	size_t start = b->len;

	w->type[i] = t->oid;
	w->format[i] = 1;
	if (p->null)
		return;
	if (p->type == DB_TEXT || p->type == DB_BYTEA) {
		w->value[i] = p->bytes.at ? p->bytes.at : "";
		w->length[i] = (int)p->bytes.len;
		return;
	}
	if (t->is_array)
		add_array(b, p);
	else
		add_scalar(b, p);
	w->value[i] = b->at + start;
	w->length[i] = (int)(b->len - start);
}

static err_t check_sizes(struct arena *a, struct db_args args, size_t *ret_total)
{
	size_t total = 1; /* an empty value needs an address as well */

	assert(args.count <= MOST_PARAMS);
	for (size_t i = 0; i < args.count; i++) {
		size_t size = wire_size(&args.param[i]);

		if (size > INT_MAX / 2 || args.param[i].bytes.len > INT_MAX / 2)
			return err_new(a, ERR_TOO_LARGE, "parameter %zu has %zu bytes", i + 1,
				       size + args.param[i].bytes.len);
		total += size;
	}
	*ret_total = total;
	return NULL;
}

err_t db_param_encode(struct db *db, struct db_args args, struct db_wire *ret_wire)
{
	struct db_wire w = {
		.count = (int)args.count,
		.type = arena_new_array(db->arena, Oid, args.count),
		.value = arena_new_array(db->arena, const char *, args.count),
		.length = arena_new_array(db->arena, int, args.count),
		.format = arena_new_array(db->arena, int, args.count),
	};
	size_t total;
	err_t e;

	e = check_sizes(db->arena, args, &total);
	if (e)
		return e;
	buf_clear(&db->wire);
	buf_reserve(&db->wire, total);
	for (size_t i = 0; i < args.count; i++)
		encode_one(&db->wire, &args.param[i], &w, (int)i);
	*ret_wire = w;
	return NULL;
}

uint64_t db_param_types(const Oid *types, int count)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (int i = 0; i < count; i++)
		hash = (hash ^ types[i]) * UINT64_C(1099511628211);
	return hash;
}
