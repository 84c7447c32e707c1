/* nvidia_driver.h - whether NVIDIA's driver is loaded; its device comes later than its entry in /proc. */
#ifndef CAIRN_SAMPLER_NVIDIA_DRIVER_H
#define CAIRN_SAMPLER_NVIDIA_DRIVER_H

#include <stdbool.h>
#include <unistd.h>

#include "proc_file.h"
#include "settings.h"

static inline bool nvidia_driver_exists(const struct settings *settings)
{
	char path[SETTINGS_ROOT_MAX + 32];

	if (proc_path(path, sizeof path, settings->dev_root, "nvidiactl") &&
	    access(path, F_OK) == 0)
		return true;
	return proc_path(path, sizeof path, settings->proc_root, "driver/nvidia") &&
	       access(path, F_OK) == 0;
}

#endif
