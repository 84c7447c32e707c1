/* amd_sysfs.c - see amd_sysfs.h. */
#include "amd_sysfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proc_file.h"

#define HZ_PER_MHZ 1e6
#define MICROWATT_PER_WATT 1e6
#define MILLIDEGREES 1000.0

bool amd_card_text(const struct amd_card *card, const char *file, char *ret_text, size_t size)
{
	char path[DRM_DEVICE_PATH_MAX + 64];

	if (!proc_path(path, sizeof path, card->drm.device, "%s", file) ||
	    proc_read(AT_FDCWD, path, ret_text, size) <= 0)
		return false;
	ret_text[strcspn(ret_text, "\n")] = '\0';
	return ret_text[0] != '\0';
}

static double device_number(const struct amd_card *card, const char *file)
{
	char path[DRM_DEVICE_PATH_MAX + 64];
	uint64_t number;

	if (!proc_path(path, sizeof path, card->drm.device, "%s", file) ||
	    !proc_read_number(path, &number))
		return NAN;
	return (double)number;
}

/* NaN without sensors. Temperatures below 0 are not told: none is worth the sign. */
static double sensor_number(const struct amd_card *card, const char *file)
{
	char path[sizeof card->hwmon + 32];
	uint64_t number;

	if (!card->hwmon[0] || !proc_path(path, sizeof path, card->hwmon, "%s", file) ||
	    !proc_read_number(path, &number))
		return NAN;
	return (double)number;
}

static void find_hwmon(struct amd_card *card)
{
	char folder[DRM_DEVICE_PATH_MAX + 16];

	card->hwmon[0] = '\0';
	if (!proc_path(folder, sizeof folder, card->drm.device, "hwmon"))
		return;
	DIR *dir = opendir(folder);
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (strncmp(entry->d_name, "hwmon", 5) == 0 &&
		    proc_path(card->hwmon, sizeof card->hwmon, folder, "%s", entry->d_name))
			break;
		card->hwmon[0] = '\0';
	}
	closedir(dir);
}

static bool has_label(const struct amd_card *card, const char *kind, unsigned number,
		      const char *label)
{
	char path[sizeof card->hwmon + 32], text[AMD_SENSOR_NAME_MAX];

	if (!card->hwmon[0] ||
	    !proc_path(path, sizeof path, card->hwmon, "%s%u_label", kind, number) ||
	    proc_read(AT_FDCWD, path, text, sizeof text) <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, label) == 0;
}

/* 0: no sensor has the label. */
static unsigned find_sensor(const struct amd_card *card, const char *kind, const char *label)
{
	for (unsigned i = 1; i <= AMD_SENSORS_MAX; i++) {
		if (has_label(card, kind, i, label))
			return i;
	}
	return 0;
}

void amd_card_open(struct amd_card *card)
{
	static const char *const labels[] = { "mem", "junction", "edge" };

	find_hwmon(card);
	card->temp_input = 0;
	for (size_t i = 0; i < 3 && card->temp_input == 0; i++)
		card->temp_input = find_sensor(card, "temp", labels[i]);
	card->is_integrated = isnan(sensor_number(card, "power1_cap")) &&
			      device_number(card, "mem_info_gtt_total") >
				      device_number(card, "mem_info_vram_total");
}

bool amd_card_is_asleep(const struct amd_card *card)
{
	char status[32];

	return amd_card_text(card, "power/runtime_status", status, sizeof status) &&
	       strcmp(status, "suspended") == 0;
}

static void read_memory(const struct amd_card *card, double *values)
{
	double used = device_number(card, "mem_info_vram_used");
	double total = device_number(card, "mem_info_vram_total");

	if (card->is_integrated) {
		used += device_number(card, "mem_info_gtt_used");
		total += device_number(card, "mem_info_gtt_total");
	}
	values[AMD_MEMORY_ALLOCATED_BYTES] = used;
	if (total > 0)
		values[AMD_MEMORY_ALLOCATED] = 100 * used / total;
}

static void read_temperature(const struct amd_card *card, double *values)
{
	char file[32];

	if (card->temp_input == 0)
		return;
	snprintf(file, sizeof file, "temp%u_input", card->temp_input);
	values[AMD_TEMP] = sensor_number(card, file) / MILLIDEGREES;
}

static void read_power(const struct amd_card *card, double *values)
{
	double power = sensor_number(card, "power1_average");

	if (isnan(power))
		power = sensor_number(card, "power1_input");
	values[AMD_POWER_WATTS] = power / MICROWATT_PER_WATT;
	values[AMD_POWER_LIMIT_WATTS] = sensor_number(card, "power1_cap") / MICROWATT_PER_WATT;
}

static void read_fan(const struct amd_card *card, double *values)
{
	double most = sensor_number(card, "pwm1_max");

	if (most > 0)
		values[AMD_FAN_SPEED] = 100 * sensor_number(card, "pwm1") / most;
}

static bool count_after(const char *text, const char *word, uint64_t *ret_count)
{
	const char *at = strstr(text, word);

	if (!at)
		return false;
	at += strlen(word);
	return proc_number(&at, ret_count);
}

/* "ue: 0\nce: 3\n" of the unified memory controller. */
static void read_errors(const struct amd_card *card, double *values)
{
	char path[DRM_DEVICE_PATH_MAX + 64], text[128];
	uint64_t uncorrected, corrected;

	if (!proc_path(path, sizeof path, card->drm.device, "ras/umc_err_count") ||
	    proc_read(AT_FDCWD, path, text, sizeof text) <= 0 ||
	    !count_after(text, "ue:", &uncorrected) || !count_after(text, "ce:", &corrected))
		return;
	values[AMD_UNCORRECTED_ERRORS] = (double)uncorrected;
	values[AMD_CORRECTED_ERRORS] = (double)corrected;
}

bool amd_card_read(const struct amd_card *card, struct amd_reading *ret_reading)
{
	double *values = ret_reading->values;

	amd_reading_clear(ret_reading);
	if (amd_card_is_asleep(card))
		return false;
	values[AMD_GPU] = device_number(card, "gpu_busy_percent");
	values[AMD_MEMORY_ACTIVITY] = device_number(card, "mem_busy_percent");
	values[AMD_MEMORY_OVERDRIVE] = device_number(card, "pp_mclk_od");
	values[AMD_SHADER_CLOCK] = sensor_number(card, "freq1_input") / HZ_PER_MHZ;
	values[AMD_MEMORY_CLOCK] = sensor_number(card, "freq2_input") / HZ_PER_MHZ;
	read_memory(card, values);
	read_temperature(card, values);
	read_power(card, values);
	read_fan(card, values);
	read_errors(card, values);
	amd_reading_complete(ret_reading);
	return true;
}
