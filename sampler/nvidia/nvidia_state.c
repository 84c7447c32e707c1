/* nvidia_state.c - decoder, energy, why clocks are low, and the PCIe link; each is one call. */
#include "nvidia_device.h"

#include <stddef.h>

struct reason {
	unsigned long long bit;
	int metric;
};

static const struct reason reasons[] = {
	{ NVML_CLOCK_SW_POWER_CAP, NV_THROTTLE },   { NVML_CLOCK_HW_SLOWDOWN, NV_THROTTLE + 1 },
	{ NVML_CLOCK_SYNC_BOOST, NV_THROTTLE + 2 }, { NVML_CLOCK_SW_THERMAL, NV_THROTTLE + 3 },
	{ NVML_CLOCK_HW_THERMAL, NV_THROTTLE + 4 }, { NVML_CLOCK_HW_POWER_BRAKE, NV_THROTTLE + 5 },
};

_Static_assert(sizeof reasons / sizeof reasons[0] == NV_THROTTLE_END - NV_THROTTLE,
	       "a metric for each reason");

int nvidia_state_decoder(struct nvidia_device *device, struct nvidia_context *context,
			 struct nvidia_values *values)
{
	unsigned percent, period;

	if (!context->nvml.decoder)
		return NVML_FUNCTION_NOT_FOUND;
	int result = context->nvml.decoder(device->handle, &percent, &period);
	if (result == NVML_OK)
		values->metrics[NV_DECODER] = percent;
	return result;
}

int nvidia_state_energy(struct nvidia_device *device, struct nvidia_context *context,
			struct nvidia_values *values)
{
	unsigned long long millijoules;

	if (!context->nvml.energy)
		return NVML_FUNCTION_NOT_FOUND;
	int result = context->nvml.energy(device->handle, &millijoules);
	if (result != NVML_OK)
		return result;
	if (device->has_energy_before)
		counter_update(&device->energy, millijoules);
	else
		counter_begin(&device->energy, millijoules);
	device->has_energy_before = true;
	values->metrics[NV_ENERGY_TOTAL] = (double)millijoules;
	values->metrics[NV_ENERGY] = (double)device->energy.since_start / 1000;
	return NVML_OK;
}

int nvidia_state_throttle(struct nvidia_device *device, struct nvidia_context *context,
			  struct nvidia_values *values)
{
	unsigned long long mask;

	if (!context->nvml.clock_reasons)
		return NVML_FUNCTION_NOT_FOUND;
	int result = context->nvml.clock_reasons(device->handle, &mask);
	if (result != NVML_OK)
		return result;
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		values->metrics[reasons[i].metric] = (mask & reasons[i].bit) != 0;
	return NVML_OK;
}

static int read_number(nvml_unsigned_function *function, const struct nvidia_device *device,
		       double *ret_value)
{
	unsigned number;

	if (!function)
		return NVML_FUNCTION_NOT_FOUND;
	int result = function(device->handle, &number);
	if (result == NVML_OK)
		*ret_value = number;
	return result;
}

int nvidia_state_pcie_generation(struct nvidia_device *device, struct nvidia_context *context,
				 struct nvidia_values *values)
{
	return read_number(context->nvml.pcie_generation, device,
			   &values->metrics[NV_PCIE_GENERATION]);
}

int nvidia_state_pcie_width(struct nvidia_device *device, struct nvidia_context *context,
			    struct nvidia_values *values)
{
	return read_number(context->nvml.pcie_width, device, &values->metrics[NV_PCIE_WIDTH]);
}

int nvidia_state_pcie_replays(struct nvidia_device *device, struct nvidia_context *context,
			      struct nvidia_values *values)
{
	return read_number(context->nvml.pcie_replays, device, &values->metrics[NV_PCIE_REPLAYS]);
}
