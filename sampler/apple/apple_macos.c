/*
 * apple_macos.c - Apple's GPU by the interfaces of macOS. See apple_counters.h: no test runs this file.
 *
 * IOKit's IOAccelerator is public. IOReport is not: it is loaded if it is there, and without it there is
 * neither power nor a clock. Only totals since the start of the machine are read here.
 */
#include <CoreFoundation/CoreFoundation.h>
#include <IOKit/IOKitLib.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>

#include "apple_counters.h"
#include "monotonic.h"

#define IOREPORT "/usr/lib/libIOReport.dylib"
#define HZ_PER_MHZ 1e6
#define CLOCKS_OF_GPU "voltage-states9" /* pairs of a clock in Hz and a voltage */

typedef struct IOReportSubscription *subscription;

struct ioreport {
	CFDictionaryRef (*copy_group)(CFStringRef, CFStringRef, uint64_t, uint64_t, uint64_t);
	void (*merge)(CFDictionaryRef, CFDictionaryRef, CFTypeRef);
	subscription (*subscribe)(void *, CFMutableDictionaryRef, CFMutableDictionaryRef *,
				  uint64_t, CFTypeRef);
	CFDictionaryRef (*sample)(subscription, CFMutableDictionaryRef, CFTypeRef);
	CFStringRef (*group)(CFDictionaryRef);
	CFStringRef (*name)(CFDictionaryRef);
	CFStringRef (*unit)(CFDictionaryRef);
	int64_t (*integer)(CFDictionaryRef, int32_t);
	int32_t (*state_count)(CFDictionaryRef);
	CFStringRef (*state_name)(CFDictionaryRef, int32_t);
	int64_t (*residency)(CFDictionaryRef, int32_t);
};

struct macos {
	io_service_t accelerator;
	struct ioreport report;
	CFMutableDictionaryRef channels; /* NULL: no IOReport */
	subscription subscription;
	size_t clock_count;
	double clocks_mhz[APPLE_STATES_MAX];
};

/* ---- IOKit ------------------------------------------------------------------------------------------ */

static double number_of(CFDictionaryRef dictionary, CFStringRef key)
{
	CFTypeRef value = CFDictionaryGetValue(dictionary, key);
	double number = NAN;

	if (value && CFGetTypeID(value) == CFNumberGetTypeID())
		CFNumberGetValue(value, kCFNumberDoubleType, &number);
	return number;
}

static void read_accelerator(const struct macos *macos, struct apple_counters *counters)
{
	CFTypeRef statistics = IORegistryEntryCreateCFProperty(
		macos->accelerator, CFSTR("PerformanceStatistics"), kCFAllocatorDefault, 0);

	if (!statistics)
		return;
	if (CFGetTypeID(statistics) == CFDictionaryGetTypeID()) {
		counters->utilization = number_of(statistics, CFSTR("Device Utilization %"));
		counters->gpu_bytes = number_of(statistics, CFSTR("Alloc system memory"));
		if (isnan(counters->gpu_bytes))
			counters->gpu_bytes = number_of(statistics, CFSTR("In use system memory"));
	}
	CFRelease(statistics);
}

static void read_clocks(struct macos *macos)
{
	io_service_t manager = IOServiceGetMatchingService(0, IOServiceNameMatching("pmgr"));
	CFTypeRef table = manager ? IORegistryEntryCreateCFProperty(manager, CFSTR(CLOCKS_OF_GPU),
								    kCFAllocatorDefault, 0)
				  : NULL;

	if (table && CFGetTypeID(table) == CFDataGetTypeID()) {
		const UInt8 *bytes = CFDataGetBytePtr(table);
		CFIndex count = CFDataGetLength(table) / 8;
		for (CFIndex i = 0; i < count && macos->clock_count < APPLE_STATES_MAX; i++) {
			uint32_t hz;
			memcpy(&hz, bytes + 8 * i, sizeof hz);
			if (hz > 0)
				macos->clocks_mhz[macos->clock_count++] = hz / HZ_PER_MHZ;
		}
	}
	if (table)
		CFRelease(table);
	if (manager)
		IOObjectRelease(manager);
}

/* ---- IOReport --------------------------------------------------------------------------------------- */

static bool load(void *library, const char *name, void *ret_function, size_t size)
{
	void *symbol = dlsym(library, name);

	memcpy(ret_function, &symbol, size);
	return symbol != NULL;
}

static bool load_ioreport(struct ioreport *report)
{
	void *library = dlopen(IOREPORT, RTLD_LAZY);

#define LOAD(member, name) load(library, "IOReport" name, &report->member, sizeof report->member)
	return library && LOAD(copy_group, "CopyChannelsInGroup") && LOAD(merge, "MergeChannels") &&
	       LOAD(subscribe, "CreateSubscription") && LOAD(sample, "CreateSamples") &&
	       LOAD(group, "ChannelGetGroup") && LOAD(name, "ChannelGetChannelName") &&
	       LOAD(unit, "ChannelGetUnitLabel") && LOAD(integer, "SimpleGetIntegerValue") &&
	       LOAD(state_count, "StateGetCount") && LOAD(state_name, "StateGetNameForIndex") &&
	       LOAD(residency, "StateGetResidency");
#undef LOAD
}

static void open_ioreport(struct macos *macos)
{
	struct ioreport *report = &macos->report;
	CFDictionaryRef energy, states;
	CFMutableDictionaryRef chosen = NULL;

	if (!load_ioreport(report))
		return;
	energy = report->copy_group(CFSTR("Energy Model"), NULL, 0, 0, 0);
	states = report->copy_group(CFSTR("GPU Stats"), CFSTR("GPU Performance States"), 0, 0, 0);
	if (energy && states)
		report->merge(energy, states, NULL);
	if (energy)
		macos->channels = CFDictionaryCreateMutableCopy(kCFAllocatorDefault, 0, energy);
	if (states)
		CFRelease(states);
	if (energy)
		CFRelease(energy);
	if (!macos->channels)
		return;
	macos->subscription = report->subscribe(NULL, macos->channels, &chosen, 0, NULL);
	if (!macos->subscription) {
		CFRelease(macos->channels);
		macos->channels = NULL;
	}
}

/* Without the blanks that units end with; "" for what does not fit. */
static void copy_text(CFStringRef text, char ret[APPLE_NAME_MAX])
{
	ret[0] = '\0';
	if (!text || !CFStringGetCString(text, ret, APPLE_NAME_MAX, kCFStringEncodingUTF8))
		ret[0] = '\0';
	ret[strcspn(ret, " ")] = '\0';
}

static void read_energy(const struct ioreport *report, CFDictionaryRef channel,
			struct apple_counters *counters)
{
	static const char *const names[APPLE_ENERGY_COUNT] = {
		[APPLE_ENERGY_GPU] = "GPU Energy",
		[APPLE_ENERGY_CPU] = "CPU Energy",
		[APPLE_ENERGY_ANE] = "ANE",
	};
	char name[64];

	if (!CFStringGetCString(report->name(channel), name, sizeof name, kCFStringEncodingUTF8))
		return;
	for (int i = 0; i < APPLE_ENERGY_COUNT; i++) {
		struct apple_joules *joules = &counters->energies[i];
		if (strcmp(name, names[i]) != 0)
			continue;
		joules->amount = report->integer(channel, 0);
		copy_text(report->unit(channel), joules->unit);
	}
}

static void read_states(const struct ioreport *report, CFDictionaryRef channel,
			struct apple_counters *counters)
{
	int32_t count = report->state_count(channel);

	if (!CFEqual(report->name(channel), CFSTR("GPUPH")) || count > APPLE_STATES_MAX)
		return;
	counters->state_count = 0;
	for (int32_t i = 0; i < count; i++) {
		struct apple_state *state = &counters->states[counters->state_count++];
		copy_text(report->state_name(channel, i), state->name);
		state->residency = report->residency(channel, i);
	}
}

static void read_ioreport(const struct macos *macos, struct apple_counters *counters)
{
	const struct ioreport *report = &macos->report;
	CFDictionaryRef sample =
		macos->channels ? report->sample(macos->subscription, macos->channels, NULL) : NULL;
	CFArrayRef all = sample ? CFDictionaryGetValue(sample, CFSTR("IOReportChannels")) : NULL;

	for (CFIndex i = 0; all && i < CFArrayGetCount(all); i++) {
		CFDictionaryRef channel = CFArrayGetValueAtIndex(all, i);
		if (CFEqual(report->group(channel), CFSTR("Energy Model")))
			read_energy(report, channel, counters);
		else
			read_states(report, channel, counters);
	}
	if (sample)
		CFRelease(sample);
}

/* ---- what the portable part calls --------------------------------------------------------------------- */

void *apple_macos_open(void)
{
	struct macos *macos = calloc(1, sizeof *macos);

	if (!macos)
		return NULL;
	macos->accelerator = IOServiceGetMatchingService(0, IOServiceMatching("IOAccelerator"));
	if (!macos->accelerator) {
		free(macos);
		return NULL;
	}
	read_clocks(macos);
	open_ioreport(macos);
	return macos;
}

bool apple_macos_read(void *of, struct apple_counters *ret_counters)
{
	const struct macos *macos = of;
	uint64_t bytes;
	size_t size = sizeof bytes;

	*ret_counters = (struct apple_counters){
		.now_ns = monotonic_ns(),
		.utilization = NAN,
		.gpu_bytes = NAN,
		.machine_bytes = NAN,
		.clock_count = macos->clock_count,
	};
	memcpy(ret_counters->clocks_mhz, macos->clocks_mhz, sizeof macos->clocks_mhz);
	if (sysctlbyname("hw.memsize", &bytes, &size, NULL, 0) == 0)
		ret_counters->machine_bytes = (double)bytes;
	read_accelerator(macos, ret_counters);
	read_ioreport(macos, ret_counters);
	return true;
}

void apple_macos_close(void *of)
{
	struct macos *macos = of;

	if (macos->channels)
		CFRelease(macos->channels);
	if (macos->subscription)
		CFRelease((CFTypeRef)macos->subscription);
	IOObjectRelease(macos->accelerator);
	free(macos);
}
