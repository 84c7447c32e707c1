/* pci_devices.h - whether the machine has a vendor's devices, from /sys/bus/pci/devices. */
#ifndef CAIRN_SAMPLER_PCI_DEVICES_H
#define CAIRN_SAMPLER_PCI_DEVICES_H

#include <stdbool.h>

#include "settings.h"

#define PCI_VENDOR_GRAPHCORE 0x1d95
#define PCI_VENDOR_HABANA 0x1da3

bool pci_has_vendor(const struct settings *settings, unsigned vendor);

#endif
