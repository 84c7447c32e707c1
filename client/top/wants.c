#include "wants.h"

#include <stdlib.h>
#include <string.h>

static void free_all(char **texts, size_t *count)
{
	for (size_t i = 0; i < *count; i++)
		free(texts[i]);
	*count = 0;
}

void wants_clear(struct wants *wants)
{
	free_all(wants->keys, &wants->key_count);
	free_all(wants->columns, &wants->column_count);
}

void wants_deinit(struct wants *wants)
{
	wants_clear(wants);
	*wants = (struct wants){ 0 };
}

static void add(char **texts, size_t *count, size_t most, const char *text)
{
	if (*count == most)
		return;
	texts[*count] = strdup(text);
	*count += texts[*count] != NULL;
}

void wants_add_key(struct wants *wants, const char *key)
{
	add(wants->keys, &wants->key_count, WANTS_KEYS_MAX, key);
}

void wants_add_column(struct wants *wants, const char *key)
{
	add(wants->columns, &wants->column_count, WANTS_COLUMNS_MAX, key);
}

bool wants_copy(struct wants *to, const struct wants *from)
{
	struct wants copy = *from;

	copy.key_count = copy.column_count = 0;
	for (size_t i = 0; i < from->key_count; i++)
		wants_add_key(&copy, from->keys[i]);
	for (size_t i = 0; i < from->column_count; i++)
		wants_add_column(&copy, from->columns[i]);
	wants_deinit(to);
	if (copy.key_count == from->key_count && copy.column_count == from->column_count) {
		*to = copy;
		return true;
	}
	wants_deinit(&copy);
	return false;
}

static bool same(char *const *a, size_t a_count, char *const *b, size_t b_count)
{
	for (size_t i = 0; i < a_count && i < b_count; i++) {
		if (strcmp(a[i], b[i]) != 0)
			return false;
	}
	return a_count == b_count;
}

bool wants_same_charts(const struct wants *a, const struct wants *b)
{
	return strcmp(a->run, b->run) == 0 && a->is_system == b->is_system &&
	       a->is_relative == b->is_relative && a->points == b->points &&
	       same(a->keys, a->key_count, b->keys, b->key_count);
}

bool wants_same_columns(const struct wants *a, const struct wants *b)
{
	return same(a->columns, a->column_count, b->columns, b->column_count);
}
