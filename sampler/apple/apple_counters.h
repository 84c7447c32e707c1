/*
 * apple_counters.h - what macOS tells of Apple's GPU at one moment. apple_macos.c reads it; it is
 * compiled for macOS only, and as small as can be, since no test runs there.
 */
#ifndef CAIRN_SAMPLER_APPLE_COUNTERS_H
#define CAIRN_SAMPLER_APPLE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define APPLE_STATES_MAX 32
#define APPLE_NAME_MAX 16

enum apple_energy { APPLE_ENERGY_GPU, APPLE_ENERGY_CPU, APPLE_ENERGY_ANE, APPLE_ENERGY_COUNT };

/* Energy used since the start of the machine, in "mJ", "uJ" or "nJ"; unit "": unknown. */
struct apple_joules {
	int64_t amount;
	char unit[APPLE_NAME_MAX];
};

/* A state of the GPU's clock, and how long it was in it, in ticks; "OFF", "IDLE" and "DOWN" are rest. */
struct apple_state {
	char name[APPLE_NAME_MAX];
	int64_t residency;
};

struct apple_counters {
	uint64_t now_ns;
	double utilization;   /* "Device Utilization %"; NaN: unknown */
	double gpu_bytes;     /* "Alloc system memory"; NaN: unknown */
	double machine_bytes; /* hw.memsize; NaN: unknown */
	struct apple_joules energies[APPLE_ENERGY_COUNT];
	size_t state_count;
	struct apple_state states[APPLE_STATES_MAX];
	size_t clock_count; /* of the states that are not rest, in their order */
	double clocks_mhz[APPLE_STATES_MAX];
};

/* NULL: there is no such GPU, or no memory. Only called from the device's thread. */
void *apple_macos_open(void);
bool apple_macos_read(void *macos, struct apple_counters *ret_counters);
void apple_macos_close(void *macos);

#endif
