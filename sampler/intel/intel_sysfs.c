/* intel_sysfs.c - see intel_sysfs.h. */
#include "intel_sysfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "monotonic.h"
#include "proc_file.h"

#define SENSORS_MAX 8
#define TILES_MAX 4
#define TILE_GTS_MAX 4
#define MICRO 1e6
#define MILLIDEGREES 1000.0

static bool read_text(const char *folder, const char *file, char *ret_text, size_t size)
{
	char path[DRM_DEVICE_PATH_MAX + 160];

	if (!folder[0] || !proc_path(path, sizeof path, folder, "%s", file) ||
	    proc_read(AT_FDCWD, path, ret_text, size) <= 0)
		return false;
	ret_text[strcspn(ret_text, "\n")] = '\0';
	return ret_text[0] != '\0';
}

static bool read_number(const char *folder, const char *file, uint64_t *ret_number)
{
	char path[DRM_DEVICE_PATH_MAX + 160];

	return folder[0] && proc_path(path, sizeof path, folder, "%s", file) &&
	       proc_read_number(path, ret_number);
}

static double number_or_nan(const char *folder, const char *file)
{
	uint64_t number;

	return read_number(folder, file, &number) ? (double)number : NAN;
}

bool intel_card_text(const struct intel_card *card, const char *file, char *ret_text, size_t size)
{
	return read_text(card->drm.device, file, ret_text, size);
}

/* ---- what the card has ---------------------------------------------------------------------------- */

static bool is_of_driver(const char *folder)
{
	char name[16];

	return read_text(folder, "name", name, sizeof name) &&
	       (strcmp(name, "i915") == 0 || strcmp(name, "xe") == 0);
}

static void find_hwmon(struct intel_card *card)
{
	char folder[DRM_DEVICE_PATH_MAX + 16];
	bool is_found = false;

	card->hwmon[0] = '\0';
	if (!proc_path(folder, sizeof folder, card->drm.device, "hwmon"))
		return;
	DIR *dir = opendir(folder);
	if (!dir)
		return;
	for (struct dirent *entry; !is_found && (entry = readdir(dir)) != NULL;)
		is_found =
			strncmp(entry->d_name, "hwmon", 5) == 0 &&
			proc_path(card->hwmon, sizeof card->hwmon, folder, "%s", entry->d_name) &&
			is_of_driver(card->hwmon);
	closedir(dir);
	if (!is_found)
		card->hwmon[0] = '\0';
}

/* The number of the sensor's file; 0: none has the label. */
static unsigned find_label(const struct intel_card *card, const char *label)
{
	char file[32], text[16];

	for (unsigned i = 1; i <= SENSORS_MAX; i++) {
		snprintf(file, sizeof file, "temp%u_label", i);
		if (read_text(card->hwmon, file, text, sizeof text) && strcmp(text, label) == 0)
			return i;
	}
	return 0;
}

/* The first of the files "energy1_input", "energy2_input" … */
static unsigned find_first(const struct intel_card *card, const char *kind)
{
	char file[32];

	for (unsigned i = 1; i <= SENSORS_MAX; i++) {
		snprintf(file, sizeof file, "%s%u_input", kind, i);
		if (!isnan(number_or_nan(card->hwmon, file)))
			return i;
	}
	return 0;
}

/* xe counts the energy of the card (1) and of the package (2), i915 that of the card. */
static void find_sensors(struct intel_card *card)
{
	card->energy_input = find_first(card, "energy");
	card->memory_temp_input = find_label(card, "vram");
	card->temp_input = find_label(card, "pkg");
	if (card->temp_input == 0) {
		card->temp_input = find_first(card, "temp");
		if (card->temp_input == card->memory_temp_input)
			card->temp_input = 0;
	}
}

static void add_gt(struct intel_card *card, const struct intel_gt *gt)
{
	uint64_t number;
	bool is_there = read_number(card->card, gt->idle, &number) ||
			read_number(card->card, gt->clock, &number);

	if (is_there && card->gt_count < INTEL_GTS_MAX)
		card->gts[card->gt_count++] = *gt;
}

static void find_gts_of_xe(struct intel_card *card)
{
	struct intel_gt gt;

	for (unsigned tile = 0; tile < TILES_MAX; tile++) {
		for (unsigned i = 0; i < TILE_GTS_MAX; i++) {
			snprintf(gt.idle, sizeof gt.idle,
				 "device/tile%u/gt%u/gtidle/idle_residency_ms", tile, i);
			snprintf(gt.clock, sizeof gt.clock, "device/tile%u/gt%u/freq0/act_freq",
				 tile, i);
			add_gt(card, &gt);
		}
	}
}

/* Before Linux 5.18 a card was one part. */
static void find_gts_of_i915(struct intel_card *card)
{
	static const struct intel_gt whole = { "power/rc6_residency_ms", "gt_act_freq_mhz" };
	struct intel_gt gt;

	for (unsigned i = 0; i < TILE_GTS_MAX; i++) {
		snprintf(gt.idle, sizeof gt.idle, "gt/gt%u/rc6_residency_ms", i);
		snprintf(gt.clock, sizeof gt.clock, "gt/gt%u/rps_act_freq_mhz", i);
		add_gt(card, &gt);
	}
	if (card->gt_count == 0)
		add_gt(card, &whole);
}

/* The card's folder has the PCI device as a link, ".." would not lead back. */
static void find_card(struct intel_card *card)
{
	const char *end = strrchr(card->drm.device, '/');

	snprintf(card->card, sizeof card->card, "%.*s", (int)(end - card->drm.device),
		 card->drm.device);
}

static bool is_asleep(const struct intel_card *card)
{
	char status[32];

	return intel_card_text(card, "power/runtime_status", status, sizeof status) &&
	       strcmp(status, "suspended") == 0;
}

void intel_card_open(struct intel_card *card)
{
	find_card(card);
	find_hwmon(card);
	find_sensors(card);
	find_gts_of_xe(card);
	if (card->gt_count == 0)
		find_gts_of_i915(card);
}

uint64_t intel_card_memory(const struct intel_card *card)
{
	char file[48];
	uint64_t bytes, sum = 0;

	for (unsigned tile = 0; tile < TILES_MAX; tile++) {
		snprintf(file, sizeof file, "tile%u/physical_vram_size_bytes", tile);
		if (read_number(card->drm.device, file, &bytes))
			sum += bytes;
	}
	return sum;
}

/* ---- a reading ------------------------------------------------------------------------------------- */

static double sensor(const struct intel_card *card, const char *kind, unsigned number)
{
	char file[32];

	snprintf(file, sizeof file, "%s%u_input", kind, number);
	return number ? number_or_nan(card->hwmon, file) : NAN;
}

/* 0 is a limit that is switched off. */
static double power_limit(const struct intel_card *card)
{
	static const char *const files[] = { "power1_max", "power2_max", "power1_rated_max",
					     "power2_rated_max" };

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		double limit = number_or_nan(card->hwmon, files[i]);
		if (limit > 0)
			return limit / MICRO;
	}
	return NAN;
}

static double fastest_clock(const struct intel_card *card)
{
	double most = NAN;

	for (unsigned i = 0; i < card->gt_count; i++)
		most = fmax(most, number_or_nan(card->card, card->gts[i].clock));
	return most;
}

static void read_counters(const struct intel_card *card, struct intel_counters *counters)
{
	char file[32];

	*counters = (struct intel_counters){ .now_ns = monotonic_ns() };
	snprintf(file, sizeof file, "energy%u_input", card->energy_input);
	counters->has_energy = card->energy_input > 0 &&
			       read_number(card->hwmon, file, &counters->energy_uj);
	for (unsigned i = 0; i < card->gt_count; i++) {
		if (!read_number(card->card, card->gts[i].idle, &counters->idle_ms[i]))
			return;
		counters->gt_count = i + 1;
	}
}

static double awake_percent(uint64_t idle_before, uint64_t idle_now, double passed_ms)
{
	if (idle_now < idle_before)
		return NAN;
	return fmax(100 - 100 * (double)(idle_now - idle_before) / passed_ms, 0);
}

void intel_values_between(const struct intel_counters *before, const struct intel_counters *now,
			  double *ret_values)
{
	double passed_s = (double)(now->now_ns - before->now_ns) / NS_PER_S;

	if (before->now_ns == 0 || now->now_ns <= before->now_ns)
		return;
	if (before->has_energy && now->has_energy && now->energy_uj >= before->energy_uj)
		ret_values[INTEL_POWER_WATTS] = (double)(now->energy_uj - before->energy_uj) /
						MICRO / passed_s;
	if (now->gt_count != before->gt_count)
		return;
	for (unsigned i = 0; i < now->gt_count; i++)
		ret_values[INTEL_GPU] =
			fmax(ret_values[INTEL_GPU],
			     awake_percent(before->idle_ms[i], now->idle_ms[i], passed_s * 1000));
}

bool intel_card_read(struct intel_card *card, double ret_values[INTEL_METRIC_COUNT])
{
	struct intel_counters now;
	double *v = ret_values;

	for (int i = 0; i < INTEL_METRIC_COUNT; i++)
		v[i] = NAN;
	if (is_asleep(card)) {
		card->counters.now_ns = 0;
		return false;
	}
	read_counters(card, &now);
	intel_values_between(&card->counters, &now, v);
	card->counters = now;
	v[INTEL_TEMP] = sensor(card, "temp", card->temp_input) / MILLIDEGREES;
	v[INTEL_MEMORY_TEMP] = sensor(card, "temp", card->memory_temp_input) / MILLIDEGREES;
	v[INTEL_CLOCK] = fastest_clock(card);
	v[INTEL_POWER_LIMIT_WATTS] = power_limit(card);
	v[INTEL_POWER_PERCENT] = 100 * v[INTEL_POWER_WATTS] / v[INTEL_POWER_LIMIT_WATTS];
	return true;
}
