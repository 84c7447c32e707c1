/* traffic_test.c - counters of interfaces and disks: what counts, and that nothing goes back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "fixture.h"

#define HEAD "Inter-| Receive | Transmit\n face |bytes packets |bytes packets\n"
#define LINE "%6s: %lu 1 0 0 0 0 0 0 %lu 1 0 0 0 0 0 0\n"
#define SECTORS_PER_MIB 2048UL

struct traffic {
	unsigned long eth_received, eth_sent, veth_received, veth_sent;
	bool has_veth;
};

static struct sampler_row row;

static void write_traffic(const struct fixture *fixture, const struct traffic *t)
{
	if (t->has_veth)
		fixture_write(fixture, "proc/net/dev", HEAD LINE LINE LINE, "veth1",
			      t->veth_received, t->veth_sent, "lo", t->eth_sent * 1000,
			      t->eth_sent * 1000, "eth0", t->eth_received, t->eth_sent);
	else
		fixture_write(fixture, "proc/net/dev", HEAD LINE LINE, "lo", t->eth_sent * 2000,
			      t->eth_sent * 2000, "eth0", t->eth_received, t->eth_sent);
}

static void expect(struct sampler *sampler, double received, double sent)
{
	sampler_sample(sampler, &row);
	assert_float_equal(row_value(&row, "network.recv"), received, 0);
	assert_float_equal(row_value(&row, "network.sent"), sent, 0);
}

static void test_interfaces(void **state)
{
	struct fixture fixture;
	struct traffic t = { 1000, 2000, 10, 20, true };

	(void)state;
	fixture_begin(&fixture, "");
	write_traffic(&fixture, &t);
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	expect(sampler, 0, 0);
	t = (struct traffic){ 1100, 2200, 15, 27, true };
	write_traffic(&fixture, &t);
	expect(sampler, 105, 207);
	t.has_veth = false; /* vanishes */
	t.eth_sent += 3;
	write_traffic(&fixture, &t);
	expect(sampler, 105, 210);
	t = (struct traffic){ 1100, 2203, 4, 1, true }; /* back, reset */
	write_traffic(&fixture, &t);
	expect(sampler, 109, 211);
	t.eth_received = 6; /* the driver was loaded anew */
	write_traffic(&fixture, &t);
	expect(sampler, 115, 211);
	sampler_free(sampler);
	fixture_end(&fixture);
}

/* An interface that appears later may bring years of traffic. */
static void test_new_interface(void **state)
{
	struct fixture fixture;
	struct traffic t = { 1000, 2000, 500000, 600000, false };

	(void)state;
	fixture_begin(&fixture, "");
	write_traffic(&fixture, &t);
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	t.has_veth = true;
	write_traffic(&fixture, &t);
	expect(sampler, 0, 0);
	t.veth_sent += 9;
	write_traffic(&fixture, &t);
	expect(sampler, 0, 9);
	sampler_free(sampler);
	fixture_end(&fixture);
}

static void test_physical_only(void **state)
{
	struct fixture fixture;
	struct traffic t = { 0, 0, 0, 0, true };

	(void)state;
	fixture_begin(&fixture, "");
	write_traffic(&fixture, &t);
	fixture_write(&fixture, "sys/devices/virtual/net/veth1/mtu", "1500\n");
	struct sampler_options options = fixture_options(&fixture, 100);
	options.flags = SAMPLER_PHYSICAL_NETWORK;
	struct sampler *sampler = sampler_new(&options);
	t = (struct traffic){ 5, 6, 70, 80, true };
	write_traffic(&fixture, &t);
	expect(sampler, 5, 6);
	sampler_free(sampler);
	fixture_end(&fixture);
}

/* A process in a network namespace of its own. */
static void test_namespace(void **state)
{
	struct fixture fixture;
	struct traffic t = { 0, 0, 0, 0, false };

	(void)state;
	fixture_begin(&fixture, "");
	write_traffic(&fixture, &t);
	fixture_write(&fixture, "proc/100/net/dev", HEAD LINE, "eth0", 100UL, 100UL);
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	fixture_write(&fixture, "proc/100/net/dev", HEAD LINE, "eth0", 142UL, 107UL);
	expect(sampler, 42, 7);
	sampler_free(sampler);
	fixture_end(&fixture);
}

static char text[256 * 1024];

/* Interfaces of one generation of containers, each with this much traffic. */
static void write_containers(const struct fixture *fixture, int generation, int count,
			     unsigned long bytes)
{
	int length = snprintf(text, sizeof text, HEAD);

	for (int i = 0; i < count; i++)
		length += snprintf(text + length, sizeof text - (size_t)length,
				   "v%dx%d: %lu 1 0 0 0 0 0 0 %lu 1 0 0 0 0 0 0\n", generation, i,
				   bytes, 2 * bytes);
	fixture_write(fixture, "proc/net/dev", "%s", text);
}

/* More than fits into any one buffer; nothing is cut in the middle of a number. */
static void test_many_interfaces(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_begin(&fixture, "");
	write_containers(&fixture, 0, 1000, 1000000000000000000);
	assert_true(strlen(text) > 64 * 1024);
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	write_containers(&fixture, 0, 1000, 1000000000000000007);
	expect(sampler, 7000, 14000);
	sampler_free(sampler);
	fixture_end(&fixture);
}

/* Generations of interfaces come and go; the places of the old ones are given to the new ones. */
static void test_changing_interfaces(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_begin(&fixture, "");
	write_containers(&fixture, 0, 400, 50);
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	for (int generation = 1; generation <= 8; generation++) {
		write_containers(&fixture, generation, 400, 50);
		expect(sampler, (generation - 1) * 400, (generation - 1) * 800);
		write_containers(&fixture, generation, 400, 51);
		expect(sampler, generation * 400, generation * 800);
	}
	sampler_free(sampler);
	fixture_end(&fixture);
}

struct disks {
	unsigned long sda_read, sda_written, nvme_read, nvme_written;
	dev_t device; /* of the partition on sda */
};

static void write_disks(const struct fixture *fixture, const struct disks *d)
{
	fixture_write(fixture, "proc/diskstats",
		      "   7       0 loop0 1 0 99999 0 1 0 99999 0 0 0 0\n"
		      "   8       0 sda 25 34 %lu 18 28 11 %lu 63 0 96 82\n"
		      "%4u %7u sda4 25 34 %lu 18 28 11 %lu 63 0 96 82 1 2 3 4 5 6\n"
		      " 259       0 nvme0n1 4 4 %lu 2 1 4 %lu 1 0 2 1\n"
		      " 252       0 dm-0 5 0 %lu 4 3 0 %lu 1 0 1 1\n",
		      d->sda_read * SECTORS_PER_MIB, d->sda_written * SECTORS_PER_MIB,
		      major(d->device), minor(d->device), d->sda_read * SECTORS_PER_MIB,
		      d->sda_written * SECTORS_PER_MIB, d->nvme_read * SECTORS_PER_MIB,
		      d->nvme_written * SECTORS_PER_MIB, d->sda_read * SECTORS_PER_MIB,
		      d->sda_written * SECTORS_PER_MIB);
}

static void test_disks(void **state)
{
	struct fixture fixture;
	struct stat folder;

	(void)state;
	fixture_begin(&fixture, "machine");
	assert_int_equal(stat(fixture.root, &folder), 0);
	struct disks d = { 100, 200, 300, 400, folder.st_dev };
	write_disks(&fixture, &d);
	struct sampler_options options = fixture_options(&fixture, 100);
	const char *paths[] = { fixture.root };
	options.disk_paths = paths;
	options.disk_path_count = 1;
	struct sampler *sampler = sampler_new(&options);
	sampler_sample(sampler, &row);
	assert_float_equal(row_value(&row, "disk.in"), 0, 0);
	d.sda_read += 3;
	d.sda_written += 5;
	d.nvme_written += 7;
	write_disks(&fixture, &d);
	sampler_sample(sampler, &row);
	assert_float_equal(row_value(&row, "disk.in"), 3, 0);
	assert_float_equal(row_value(&row, "disk.out"), 12, 0);
	assert_float_equal(row_value(&row, "disk.sda4.in"), 3, 0);
	assert_float_equal(row_value(&row, "disk.sda4.out"), 5, 0);
	assert_false(row_has(&row, "disk.nvme0n1.in"));
	d.nvme_written = 2; /* replaced while running */
	write_disks(&fixture, &d);
	sampler_sample(sampler, &row);
	assert_float_equal(row_value(&row, "disk.out"), 14, 0);
	sampler_free(sampler);
	fixture_end(&fixture);
}

#define LONG_NAME "a-device-with-a-name-of-forty-nine-characters-p128"

/* Hundreds of devices before the one disk, and one with a long name that holds the path. */
static void write_many_disks(const struct fixture *fixture, int loops, unsigned long sectors)
{
	struct stat folder;
	int length = 0;

	assert_int_equal(stat(fixture->root, &folder), 0);
	for (int i = 0; i < loops; i++)
		length += snprintf(text + length, sizeof text - (size_t)length,
				   " 7 %d loop%d 1 0 1000000000 0 1 0 %lu 0 0 0 0 0 0 0 0 0 0\n",
				   i + 1000, i, sectors);
	snprintf(text + length, sizeof text - (size_t)length,
		 " 8 0 sda 1 0 %lu 0 1 0 %lu 0 0 0 0\n%u %u " LONG_NAME
		 " 1 0 %lu 0 1 0 %lu 0 0 0 0\n",
		 sectors, sectors, major(folder.st_dev), minor(folder.st_dev), sectors, sectors);
	fixture_write(fixture, "proc/diskstats", "%s", text);
}

static void test_many_disks(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_begin(&fixture, "machine");
	write_many_disks(&fixture, 1000, 1000000000000000);
	assert_true(strlen(text) > 64 * 1024);
	struct sampler_options options = fixture_options(&fixture, 100);
	const char *paths[] = { fixture.root };
	options.disk_paths = paths;
	options.disk_path_count = 1;
	struct sampler *sampler = sampler_new(&options);
	write_many_disks(&fixture, 1000, 1000000000000000 + 3 * SECTORS_PER_MIB);
	sampler_sample(sampler, &row);
	assert_float_equal(row_value(&row, "disk.in"), 3, 0);
	assert_float_equal(row_value(&row, "disk.out"), 3, 0);
	assert_float_equal(row_value(&row, "disk." LONG_NAME ".in"), 3, 0);
	sampler_free(sampler);
	fixture_end(&fixture);
}

/* Devices come and go until all places were taken; a disk that is plugged in then counts. */
static void test_plugged_disk(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_begin(&fixture, "machine");
	fixture_write(&fixture, "proc/diskstats", "%s", "");
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	for (int generation = 0; generation < 4; generation++) {
		int length = 0;
		for (int i = 0; i < 500; i++)
			length += snprintf(text + length, sizeof text - (size_t)length,
					   " 43 %d nbd%dx%d 1 0 5 0 1 0 5 0 0 0 0\n", i, generation,
					   i);
		fixture_write(&fixture, "proc/diskstats", "%s", text);
		sampler_sample(sampler, &row);
		assert_false(row_has(&row, "disk.in")); /* no whole disk was ever there */
	}
	fixture_write(&fixture, "proc/diskstats", " 8 0 sda 1 0 5 0 1 0 5 0 0 0 0\n");
	sampler_sample(sampler, &row);
	fixture_write(&fixture, "proc/diskstats", " 8 0 sda 1 0 2053 0 1 0 5 0 0 0 0\n");
	sampler_sample(sampler, &row);
	assert_float_equal(row_value(&row, "disk.in"), 1, 0);
	sampler_free(sampler);
	fixture_end(&fixture);
}

/* Without /sys it cannot be told which devices are whole disks; no sum is better than a false 0. */
static void test_disks_without_sys(void **state)
{
	struct fixture fixture;
	struct stat folder;

	(void)state;
	fixture_begin(&fixture, "machine");
	fixture_remove(&fixture, "sys");
	assert_int_equal(stat(fixture.root, &folder), 0);
	struct disks d = { 100, 200, 300, 400, folder.st_dev };
	write_disks(&fixture, &d);
	struct sampler_options options = fixture_options(&fixture, 100);
	const char *paths[] = { fixture.root };
	options.disk_paths = paths;
	options.disk_path_count = 1;
	struct sampler *sampler = sampler_new(&options);
	d.sda_read += 3;
	write_disks(&fixture, &d);
	sampler_sample(sampler, &row);
	assert_false(row_has(&row, "disk.in"));
	assert_false(row_has(&row, "disk.out"));
	assert_float_equal(row_value(&row, "disk.sda4.in"), 3, 0);
	sampler_free(sampler);
	fixture_end(&fixture);
}

static void write_paths(const struct fixture *fixture, unsigned long path_mib,
			unsigned long head_mib)
{
	fixture_write(
		fixture, "proc/diskstats",
		" 0 0 nvme0c1n1 1 0 %lu 0 1 0 0 0 0 0 0\n 0 0 nvme0c2n1 1 0 %lu 0 1 0 0 0 0 0 0\n"
		" 259 0 nvme0n1 1 0 %lu 0 1 0 0 0 0 0 0\n",
		path_mib * SECTORS_PER_MIB, path_mib * SECTORS_PER_MIB, head_mib * SECTORS_PER_MIB);
}

/* A disk that is reached over two paths: kernels count at the paths alone, or there and at the disk. */
static void test_multipath(void **state)
{
	static const struct {
		unsigned long head_mib[2];
	} kernels[] = { { { 0, 0 } }, { { 20, 26 } } };
	struct fixture fixture;

	(void)state;
	for (int i = 0; i < 2; i++) {
		fixture_begin(&fixture, "machine");
		fixture_write(&fixture, "sys/block/nvme0c1n1/hidden", "1\n");
		fixture_write(&fixture, "sys/block/nvme0c2n1/hidden", "1\n");
		write_paths(&fixture, 10, kernels[i].head_mib[0]);
		struct sampler_options options = fixture_options(&fixture, 100);
		struct sampler *sampler = sampler_new(&options);
		write_paths(&fixture, 13, kernels[i].head_mib[1]);
		sampler_sample(sampler, &row);
		assert_float_equal(row_value(&row, "disk.in"), 6, 0);
		sampler_free(sampler);
		fixture_end(&fixture);
	}
}

static int count_values(const char *name)
{
	int count = 0;

	for (size_t i = 0; i < row.count; i++)
		count += strcmp(row.values[i].name, name) == 0;
	return count;
}

/* A path named twice stands in the row once; what has no size, like /proc, is left out. */
static void test_paths(void **state)
{
	static const char *const paths[] = { "/", "/proc", "/", "/tmp" };
	struct sampler_options options = { .disk_paths = paths, .disk_path_count = 4 };

	(void)state;
	struct sampler *sampler = sampler_new(&options);
	sampler_sample(sampler, &row);
	assert_int_equal(count_values("disk./.usageGB"), 1);
	assert_int_equal(count_values("disk./tmp.usageGB"), 1);
	assert_int_equal(count_values("disk./proc.usageGB"), 0);
	sampler_free(sampler);
}

/* The recorded file of a machine with many kinds of devices. */
static void test_recorded_disks(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_begin(&fixture, "machine");
	struct sampler_options options = fixture_options(&fixture, 100);
	struct sampler *sampler = sampler_new(&options);
	sampler_sample(sampler, &row);
	assert_float_equal(row_value(&row, "disk.in"), 0, 0);
	assert_float_equal(row_value(&row, "disk.out"), 0, 0);
	assert_float_equal(row_value(&row, "network.sent"), 0, 0);
	assert_true(row_value(&row, "disk./.usagePercent") > 0);
	assert_true(row_value(&row, "disk./.usagePercent") <= 100);
	/* This kernel is too old to know MemAvailable: free, buffers and cached stand in. */
	assert_float_equal(row_value(&row, "memory_percent"), 68.510, 0.001);
	sampler_free(sampler);
	fixture_end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interfaces),      cmocka_unit_test(test_new_interface),
		cmocka_unit_test(test_physical_only),   cmocka_unit_test(test_namespace),
		cmocka_unit_test(test_many_interfaces), cmocka_unit_test(test_changing_interfaces),
		cmocka_unit_test(test_disks),           cmocka_unit_test(test_many_disks),
		cmocka_unit_test(test_plugged_disk),    cmocka_unit_test(test_disks_without_sys),
		cmocka_unit_test(test_multipath),       cmocka_unit_test(test_paths),
		cmocka_unit_test(test_recorded_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
