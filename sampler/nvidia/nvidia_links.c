/*
 * nvidia_links.c - what the driver has as numbered fields: the memory's temperature, and the traffic
 * of PCIe and NVLink as counts, of which rates are made.
 *
 * nvmlDeviceGetPcieThroughput is not used: it measures for 20 ms while its caller waits, for each
 * direction. A count of 32 bits runs over several times a second and gives no rate.
 */
#include "nvidia_device.h"

#include <math.h>
#include <string.h>

#define BYTES_PER_KIB 1024.0
#define NS_PER_SECOND 1e9
#define ERROR_FIELD_COUNT 4
#define FIELDS_MAX (NV_LINKS_MAX * NV_LINK_COUNT + ERROR_FIELD_COUNT)

static const unsigned error_fields[ERROR_FIELD_COUNT] = {
	NVML_FIELD_NVLINK_CRC_FLIT_ERRORS,
	NVML_FIELD_NVLINK_CRC_DATA_ERRORS,
	NVML_FIELD_NVLINK_REPLAYS,
	NVML_FIELD_NVLINK_RECOVERIES,
};

double nvidia_count_rate(struct nvidia_count *count, uint64_t now, uint64_t now_ns)
{
	double rate = NAN;

	if (count->has_before && now >= count->before && now_ns > count->time_ns)
		rate = (double)(now - count->before) * NS_PER_SECOND /
		       (double)(now_ns - count->time_ns);
	*count = (struct nvidia_count){ .has_before = true, .before = now, .time_ns = now_ns };
	return rate;
}

static bool get_long(const struct nvml_field_value *field, uint64_t *ret_number)
{
	if (field->result != NVML_OK)
		return false;
	if (field->type == NVML_UNSIGNED_LONG_LONG)
		*ret_number = field->value.ull;
	else if (field->type == NVML_UNSIGNED_LONG)
		*ret_number = field->value.ul;
	else if (field->type == NVML_SIGNED_LONG_LONG && field->value.sll >= 0)
		*ret_number = (uint64_t)field->value.sll;
	else
		return false;
	return true;
}

static bool get_number(const struct nvml_field_value *field, double *ret_number)
{
	uint64_t number;

	if (field->result != NVML_OK)
		return false;
	if (field->type == NVML_UNSIGNED)
		*ret_number = field->value.u;
	else if (field->type == NVML_SIGNED)
		*ret_number = field->value.i;
	else if (field->type == NVML_DOUBLE)
		*ret_number = field->value.d;
	else if (get_long(field, &number))
		*ret_number = (double)number;
	else
		return false;
	return true;
}

/* The library's answer; when no field has a value, the first field's. */
static int get_fields(const struct nvidia_device *device, const struct nvidia_context *context,
		      struct nvml_field_value *fields, int count)
{
	int result = context->nvml.field_values(device->handle, count, fields);

	if (result != NVML_OK)
		return result;
	for (int i = 0; i < count; i++) {
		if (fields[i].result == NVML_OK)
			return NVML_OK;
	}
	return fields[0].result;
}

int nvidia_links_read_fields(struct nvidia_device *device, struct nvidia_context *context,
			     struct nvidia_values *values)
{
	struct nvml_field_value fields[] = {
		{ .field = NVML_FIELD_MEMORY_TEMPERATURE },
		{ .field = NVML_FIELD_PCIE_TX },
		{ .field = NVML_FIELD_PCIE_RX },
	};
	static const enum nvidia_metric_id metrics[] = { NV_PCIE_TX, NV_PCIE_RX };
	uint64_t bytes;

	if (!context->nvml.field_values)
		return NVML_FUNCTION_NOT_FOUND;
	int result = get_fields(device, context, fields, 3);
	if (result != NVML_OK)
		return result;
	get_number(&fields[0], &values->metrics[NV_MEMORY_TEMP]);
	for (int i = 0; i < NV_LINK_COUNT; i++) {
		if (get_long(&fields[1 + i], &bytes))
			values->metrics[metrics[i]] =
				nvidia_count_rate(&device->pcie[i], bytes, context->now_ns);
	}
	return NVML_OK;
}

/* Which links the GPU has; those that are down now are among them. */
static int find_links(struct nvidia_device *device, const struct nvidia_context *context)
{
	unsigned is_active;
	int result = NVML_OK; /* of the first link */

	if (device->link_mask)
		return NVML_OK;
	for (unsigned link = 0; link < NV_LINKS_MAX; link++) {
		int one = context->nvml.nvlink_state(device->handle, link, &is_active);
		if (one == NVML_OK)
			device->link_mask |= 1U << link;
		if (link == 0)
			result = one;
	}
	return device->link_mask ? NVML_OK : result;
}

static int prepare_fields(const struct nvidia_device *device, struct nvml_field_value *ret_fields)
{
	int count = 0;

	for (unsigned link = 0; link < NV_LINKS_MAX; link++) {
		if (!(device->link_mask & 1U << link))
			continue;
		ret_fields[count++] = (struct nvml_field_value){ .field = NVML_FIELD_NVLINK_DATA_TX,
								 .scope = link };
		ret_fields[count++] = (struct nvml_field_value){ .field = NVML_FIELD_NVLINK_DATA_RX,
								 .scope = link };
	}
	for (int i = 0; i < ERROR_FIELD_COUNT; i++)
		ret_fields[count++] = (struct nvml_field_value){ .field = error_fields[i] };
	return count;
}

static void add(double *sum, double value)
{
	if (!isnan(value))
		*sum = isnan(*sum) ? value : *sum + value;
}

static void keep_link(struct nvidia_device *device, const struct nvml_field_value *field,
		      uint64_t now_ns, struct nvidia_values *values)
{
	enum nvidia_link_id id = field->field == NVML_FIELD_NVLINK_DATA_TX ? NV_LINK_TX
									   : NV_LINK_RX;
	uint64_t kib;

	if (!get_long(field, &kib))
		return;
	double rate = BYTES_PER_KIB *
		      nvidia_count_rate(&device->links[field->scope][id], kib, now_ns);
	values->links[field->scope][id] = rate;
	add(&values->metrics[id == NV_LINK_TX ? NV_NVLINK_TX : NV_NVLINK_RX], rate);
}

int nvidia_links_read_nvlink(struct nvidia_device *device, struct nvidia_context *context,
			     struct nvidia_values *values)
{
	struct nvml_field_value fields[FIELDS_MAX];
	double errors;

	if (!context->nvml.field_values || !context->nvml.nvlink_state)
		return NVML_FUNCTION_NOT_FOUND;
	int result = find_links(device, context);
	if (result != NVML_OK)
		return result;
	int count = prepare_fields(device, fields);
	result = get_fields(device, context, fields, count);
	if (result != NVML_OK)
		return result;
	for (int i = 0; i < count - ERROR_FIELD_COUNT; i++)
		keep_link(device, &fields[i], context->now_ns, values);
	for (int i = count - ERROR_FIELD_COUNT; i < count; i++) {
		if (get_number(&fields[i], &errors))
			add(&values->metrics[NV_NVLINK_ERRORS], errors);
	}
	return NVML_OK;
}
