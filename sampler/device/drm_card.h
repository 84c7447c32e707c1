/* drm_card.h - the graphics cards that Linux knows, from /sys/class/drm, one for each PCI
 * device. */
#ifndef CAIRN_SAMPLER_DRM_CARD_H
#define CAIRN_SAMPLER_DRM_CARD_H

#include <stddef.h>
#include <stdint.h>

#include "settings.h"

#define DRM_VENDOR_AMD 0x1002
#define DRM_VENDOR_INTEL 0x8086
#define DRM_DEVICE_PATH_MAX (SETTINGS_ROOT_MAX + 64)
#define PCI_ADDRESS_MAX 24

struct drm_card {
	char device[DRM_DEVICE_PATH_MAX]; /* the folder of the PCI device */
	char address[PCI_ADDRESS_MAX];    /* "0000:03:00.0"; "" if the kernel does not say */
	uint64_t order;                   /* of the address */
};

/* "0000:03:00.0" as one number; UINT64_MAX for what is no address. */
uint64_t drm_address_order(const char *address);

/* The vendor's cards in the order of PCI addresses, as the vendor's tools number them. At most
 * `max`. */
size_t drm_cards(const struct settings *settings, unsigned vendor, struct drm_card *ret_cards,
		 size_t max);

#endif
