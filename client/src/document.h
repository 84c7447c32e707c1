#ifndef DOCUMENT_H
#define DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"
#include "text.h"

#define DOCUMENT_MAX_BYTES (1024 * 1024)
#define DOCUMENT_SLOTS 2

/*
 * Members of a JSON object by name, as text. Each set member carries the version of the document
 * at that moment, so that what a batch took along can be told from what was set later.
 */
struct document_member {
	char *name; /* a JSON string with its quotes */
	char *value;
	uint64_t version;
};

struct document {
	struct document_member *members;
	size_t count, capacity;
	uint32_t *
		slots; /* by name: 1 + index of the member, or 0; DOCUMENT_SLOTS times the capacity */
	size_t bytes;
	uint64_t version; /* rises with every change */
};

enum document_result { DOCUMENT_OK = 0, DOCUMENT_INVALID, DOCUMENT_FULL, DOCUMENT_NO_MEMORY };

void document_deinit(struct document *document) __attribute__((nonnull));

/* Sets one member to a piece of JSON. */
enum document_result document_set(struct document *document, const char *name, const char *value,
				  size_t value_length) __attribute__((nonnull));

/* Sets every member of an object; it stays as it was when the object is refused. */
enum document_result document_merge(struct document *document, const char *object)
	__attribute__((nonnull));

/* Appends the whole as an object. */
void document_write(const struct document *document, struct text *text) __attribute__((nonnull));

/* Forgets the members that were last set at this version or before. */
void document_forget(struct document *document, uint64_t version) __attribute__((nonnull));

#endif
