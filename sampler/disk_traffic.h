/* disk_traffic.h - what was read from and written to disks since the start. */
#ifndef CAIRN_SAMPLER_DISK_TRAFFIC_H
#define CAIRN_SAMPLER_DISK_TRAFFIC_H

#include <sys/types.h>

struct disk_traffic;
struct sampler_row;
struct settings;

/* Counters begin here. The settings stay the caller's. NULL without memory. */
struct disk_traffic *disk_traffic_new(const struct settings *settings);
void disk_traffic_free(struct disk_traffic *traffic);

/* The device of this number has values of its own from now on. */
void disk_traffic_show(struct disk_traffic *traffic, dev_t number);

/* Reads the counters and adds "disk.in", "disk.out" and those of the devices shown. */
void disk_traffic_sample(struct disk_traffic *traffic, struct sampler_row *row);

#endif
