/* pci_devices.c - see pci_devices.h. */
#include "pci_devices.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>

#include "proc_file.h"

static bool is_of_vendor(const char *root, const char *device, unsigned vendor)
{
	char path[SETTINGS_ROOT_MAX + 320], text[32];

	return proc_path(path, sizeof path, root, "%s/vendor", device) &&
	       proc_read(AT_FDCWD, path, text, sizeof text) > 0 &&
	       strtoul(text, NULL, 16) == vendor;
}

bool pci_has_vendor(const struct settings *settings, unsigned vendor)
{
	char root[SETTINGS_ROOT_MAX + 32];
	bool is_found = false;

	if (!proc_path(root, sizeof root, settings->sys_root, "bus/pci/devices"))
		return false;
	DIR *dir = opendir(root);
	if (!dir)
		return false;
	for (struct dirent *entry; !is_found && (entry = readdir(dir)) != NULL;)
		is_found = is_of_vendor(root, entry->d_name, vendor);
	closedir(dir);
	return is_found;
}
