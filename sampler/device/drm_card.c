/* drm_card.c - see drm_card.h. Connectors (card0-DP-1) and render nodes are other names in the
 * same folder. */
#include "drm_card.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc_file.h"

static bool is_card(const char *name)
{
	if (strncmp(name, "card", 4) != 0 || !name[4])
		return false;
	return strspn(name + 4, "0123456789") == strlen(name + 4);
}

static bool has_vendor(const struct drm_card *card, unsigned vendor)
{
	char path[DRM_DEVICE_PATH_MAX + 16], text[32];

	snprintf(path, sizeof path, "%s/vendor", card->device);
	return proc_read(AT_FDCWD, path, text, sizeof text) > 0 &&
	       strtoul(text, NULL, 16) == vendor;
}

/* Reads a hexadecimal number before `after`; moves on behind that. */
static bool read_part(const char **at, char after, uint64_t *ret_part)
{
	char *end;

	*ret_part = strtoull(*at, &end, 16);
	if (end == *at || *end != after)
		return false;
	*at = end + (after != '\0');
	return true;
}

uint64_t drm_address_order(const char *address)
{
	uint64_t domain, bus, device, function;

	if (!read_part(&address, ':', &domain) || !read_part(&address, ':', &bus) ||
	    !read_part(&address, '.', &device) || !read_part(&address, '\0', &function))
		return UINT64_MAX;
	return (domain & 0xffffffff) << 32 | (bus & 0xffff) << 16 | (device & 0xff) << 8 |
	       (function & 0xff);
}

static void read_address(struct drm_card *card)
{
	static const char word[] = "PCI_SLOT_NAME=";
	char path[DRM_DEVICE_PATH_MAX + 16], text[1024];

	card->address[0] = '\0';
	snprintf(path, sizeof path, "%s/uevent", card->device);
	if (proc_read(AT_FDCWD, path, text, sizeof text) > 0) {
		const char *at = strstr(text, word);
		if (at) {
			at += strlen(word);
			snprintf(card->address, sizeof card->address, "%.*s",
				 (int)strcspn(at, "\n"), at);
		}
	}
	card->order = drm_address_order(card->address);
}

static int compare(const void *left, const void *right)
{
	const struct drm_card *a = left, *b = right;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return strcmp(a->device, b->device);
}

/* A device that is cut into parts has a node for each of them. */
static size_t without_doubles(struct drm_card *cards, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && cards[i].address[0] &&
		    strcmp(cards[kept - 1].address, cards[i].address) == 0)
			continue;
		cards[kept++] = cards[i];
	}
	return kept;
}

size_t drm_cards(const struct settings *settings, unsigned vendor, struct drm_card *ret_cards,
		 size_t max)
{
	char folder[SETTINGS_ROOT_MAX + 32];
	size_t count = 0;

	if (!proc_path(folder, sizeof folder, settings->sys_root, "class/drm"))
		return 0;
	DIR *dir = opendir(folder);
	if (!dir)
		return 0;
	for (struct dirent *entry; count < max && (entry = readdir(dir)) != NULL;) {
		struct drm_card *card = &ret_cards[count];
		if (!is_card(entry->d_name) ||
		    !proc_path(card->device, sizeof card->device, folder, "%s/device",
			       entry->d_name) ||
		    !has_vendor(card, vendor))
			continue;
		read_address(card);
		count++;
	}
	closedir(dir);
	qsort(ret_cards, count, sizeof *ret_cards, compare);
	return without_doubles(ret_cards, count);
}
