/* process_table.c - see process_table.h. */
#include "process_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int process_table_init(struct process_table *table)
{
	table->slots = calloc(PROCESS_TABLE_SLOTS_FIRST, sizeof *table->slots);
	table->slot_count = table->slots ? PROCESS_TABLE_SLOTS_FIRST : 0;
	table->count = 0;
	return table->slots ? 0 : ENOMEM;
}

void process_table_deinit(struct process_table *table)
{
	free(table->slots);
	*table = (struct process_table){ 0 };
}

void process_table_clear(struct process_table *table)
{
	memset(table->slots, 0, table->slot_count * sizeof *table->slots);
	table->count = 0;
}

/* The slot of the pid, or the empty one where it belongs. */
static struct process *slot_of(const struct process_table *table, pid_t pid)
{
	size_t mask = table->slot_count - 1;
	size_t at = ((uint32_t)pid * UINT32_C(2654435761)) & mask;

	while (table->slots[at].pid != 0 && table->slots[at].pid != pid)
		at = (at + 1) & mask;
	return &table->slots[at];
}

struct process *process_table_find(const struct process_table *table, pid_t pid)
{
	if (pid <= 0)
		return NULL;
	struct process *slot = slot_of(table, pid);
	return slot->pid == pid ? slot : NULL;
}

static bool grow(struct process_table *table)
{
	if (table->slot_count == PROCESS_TABLE_SLOTS_MAX)
		return false;
	struct process_table larger = { .slot_count = table->slot_count * 2,
					.count = table->count };
	larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < table->slot_count; i++) {
		const struct process *process = &table->slots[i];
		if (process->pid != 0)
			*slot_of(&larger, process->pid) = *process;
	}
	free(table->slots);
	*table = larger;
	return true;
}

bool process_table_insert(struct process_table *table, const struct process *process)
{
	if (table->count * 2 >= table->slot_count && !grow(table))
		return false;
	struct process *slot = slot_of(table, process->pid);
	table->count += slot->pid == 0;
	*slot = *process;
	return true;
}
