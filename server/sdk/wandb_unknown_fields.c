#include "wandb_unknown_fields.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "log.h"

struct unknown_field {
	char name[WANDB_UNKNOWN_FIELDS_NAME_MAX];
	uint64_t count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct unknown_field fields[WANDB_UNKNOWN_FIELDS_MAX + 1]; /* the last: all others */
static size_t field_count;

/* A name of the language has no other characters; a longer one is cut. */
static void name_field(char *name, const char *type, struct str field)
{
	int room = WANDB_UNKNOWN_FIELDS_NAME_MAX - 1 - (int)strlen(type) - 1;
	int len = field.len < (size_t)room ? (int)field.len : room;

	snprintf(name, WANDB_UNKNOWN_FIELDS_NAME_MAX, "%s.%.*s", type, len, field.at);
}

static struct unknown_field *find(const char *name, bool *ret_new)
{
	size_t at = 0;

	while (at < field_count && strcmp(fields[at].name, name) != 0)
		at++;
	*ret_new = at == field_count && at < WANDB_UNKNOWN_FIELDS_MAX;
	if (*ret_new)
		memcpy(fields[field_count++].name, name, WANDB_UNKNOWN_FIELDS_NAME_MAX);
	else if (at == field_count)
		strcpy(fields[at].name, "other");
	return &fields[at];
}

void wandb_unknown_fields_add(void *context, const char *type, struct str field)
{
	char name[WANDB_UNKNOWN_FIELDS_NAME_MAX] = "";
	bool is_new;

	(void)context;
	name_field(name, type, field);
	pthread_mutex_lock(&lock);
	find(name, &is_new)->count++;
	pthread_mutex_unlock(&lock);
	if (is_new)
		log_info("unknown GraphQL field requested", LOG_TEXT("field", name));
}

void wandb_unknown_fields_metrics(struct buf *text)
{
	buf_add_text(text,
		     "# HELP cairn_wandb_unknown_fields_total Unknown GraphQL fields requested, "
		     "which are answered with null.\n"
		     "# TYPE cairn_wandb_unknown_fields_total counter\n");
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i <= WANDB_UNKNOWN_FIELDS_MAX; i++) {
		if (fields[i].count)
			buf_printf(text,
				   "cairn_wandb_unknown_fields_total{field=\"%s\"} %" PRIu64 "\n",
				   fields[i].name, fields[i].count);
	}
	pthread_mutex_unlock(&lock);
}
