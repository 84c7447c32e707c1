/* device_choice.c - see device_choice.h. */
#include "device_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND_LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
#define ENTRY_MAX 160
#define PROCESS "process."

static const char *const kinds[] = { "gpu", "tpu", "trn", "ipu", "hpu" };

static bool is_kind(const char *kind)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strcmp(kinds[i], kind) == 0)
			return true;
	}
	return false;
}

static bool add_range(struct device_choice *choice, const char *kind, unsigned first, unsigned last)
{
	if (choice->count == DEVICE_CHOICES_MAX)
		return false;
	struct device_range *range = &choice->ranges[choice->count++];
	snprintf(range->kind, sizeof range->kind, "%s", kind);
	range->first = first;
	range->last = last;
	return true;
}

static bool read_index(const char **text, unsigned *ret_index)
{
	char *end;
	unsigned long index = strtoul(*text, &end, 10);

	if (**text < '0' || **text > '9' || index > DEVICE_INDEX_MAX)
		return false;
	*ret_index = (unsigned)index;
	*text = end;
	return true;
}

/* "3", "0-2" */
static bool add_numbers(struct device_choice *choice, const char *kind, const char *text)
{
	unsigned first, last;

	if (!read_index(&text, &first))
		return false;
	last = first;
	if (*text == '-') {
		text++;
		if (!read_index(&text, &last) || last < first)
			return false;
	}
	return *text == '\0' && add_range(choice, kind, first, last);
}

static bool add_name(struct device_choice *choice, const char *name)
{
	size_t length = strlen(choice->gpu_names);
	size_t room = sizeof choice->gpu_names - length;
	int written =
		snprintf(choice->gpu_names + length, room, "%s%s", length > 0 ? "," : "", name);

	return written > 0 && (size_t)written < room;
}

static bool is_uuid(const char *text)
{
	return strncmp(text, "GPU-", 4) == 0 || strncmp(text, "MIG-", 4) == 0;
}

static bool add_entry(struct device_choice *choice, const char *kind, const char *entry)
{
	bool is_gpu = strcmp(kind, "gpu") == 0;

	if (strcmp(entry, "none") == 0)
		return add_range(choice, kind, 1, 0);
	if (strcmp(entry, "all") == 0) {
		choice->is_every_gpu |= is_gpu;
		return add_range(choice, kind, 0, DEVICE_INDEX_MAX);
	}
	if (is_gpu && is_uuid(entry))
		return add_name(choice, entry);
	return add_numbers(choice, kind, entry);
}

/* The kind that stands before the entry, if there is one; the entry goes on after it. */
static bool read_kind(char **entry, char kind[DEVICE_KIND_MAX])
{
	size_t length = strspn(*entry, KIND_LETTERS);

	if ((*entry)[length] != ':')
		return kind[0] != '\0';
	if (length >= DEVICE_KIND_MAX)
		return false;
	memcpy(kind, *entry, length);
	kind[length] = '\0';
	*entry += length + 1;
	return is_kind(kind);
}

bool device_choice_parse(const char *text, struct device_choice *ret_choice)
{
	char kind[DEVICE_KIND_MAX] = "", bytes[ENTRY_MAX];

	memset(ret_choice, 0, sizeof *ret_choice);
	while (*text) {
		char *entry = bytes;
		size_t length = strcspn(text, ",");
		if (length >= sizeof bytes)
			return false;
		memcpy(bytes, text, length);
		bytes[length] = '\0';
		if (!read_kind(&entry, kind) || !add_entry(ret_choice, kind, entry))
			return false;
		text += length;
		if (*text == ',' && *++text == '\0')
			return false;
	}
	return true;
}

bool device_choice_has(const struct device_choice *choice, const char *kind, unsigned index)
{
	bool is_mentioned = false;

	for (size_t i = 0; i < choice->count; i++) {
		const struct device_range *range = &choice->ranges[i];
		if (strcmp(range->kind, kind) != 0)
			continue;
		is_mentioned = true;
		if (index >= range->first && index <= range->last)
			return true;
	}
	return !is_mentioned;
}

bool device_choice_is_none(const struct device_choice *choice, const char *kind)
{
	bool is_mentioned = false;

	if (choice->gpu_names[0] && strcmp(kind, "gpu") == 0)
		return false;
	for (size_t i = 0; i < choice->count; i++) {
		const struct device_range *range = &choice->ranges[i];
		if (strcmp(range->kind, kind) != 0)
			continue;
		is_mentioned = true;
		if (range->first <= range->last)
			return false;
	}
	return is_mentioned;
}

bool device_choice_has_metric(const struct device_choice *choice, const char *name)
{
	char kind[DEVICE_KIND_MAX];
	size_t length = strspn(name, KIND_LETTERS);

	if (choice->count == 0 || name[length] != '.' || length == 0 || length >= sizeof kind)
		return true;
	memcpy(kind, name, length);
	kind[length] = '\0';
	const char *at = name + length + 1;
	if (strncmp(at, PROCESS, strlen(PROCESS)) == 0)
		at += strlen(PROCESS);
	size_t digits = strspn(at, DIGITS);
	if (digits == 0 || digits > 4 || at[digits] != '.')
		return true;
	return device_choice_has(choice, kind, (unsigned)strtoul(at, NULL, 10));
}
