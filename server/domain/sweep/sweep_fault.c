#include "arena.h"
#include "sweep_config.h"

void sweep_fault_add(struct arena *a, struct sweep_faults *faults, struct sweep_fault fault)
{
	faults->has_error |= fault.is_error;
	if (faults->count == SWEEP_FAULTS_MAX) {
		if (fault.is_error)
			faults->items[faults->count - 1] = fault;
		return;
	}
	if (faults->count == faults->size)
		faults->items = arena_grow(a, faults->items, &faults->size, sizeof(*faults->items));
	faults->items[faults->count++] = fault;
}

err_t sweep_faults_error(struct arena *a, const struct sweep_faults *faults)
{
	const struct sweep_fault *f = faults->items;
	const char *place = "";

	while (!f->is_error)
		f++;
	if (f->line)
		place = arena_printf(a, "line %u, column %u: ", f->line, f->column);
	if (!f->path.len)
		return err_new(a, ERR_INVALID, "%s%.*s", place, STR_ARG(f->text));
	return err_field(a, ERR_INVALID, str_copy(a, f->path), "%s%.*s", place, STR_ARG(f->text));
}
