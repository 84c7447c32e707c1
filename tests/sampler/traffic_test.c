/* traffic_test.c - counters of interfaces and disks: what counts, and that nothing goes back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

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
		cmocka_unit_test(test_interfaces),    cmocka_unit_test(test_new_interface),
		cmocka_unit_test(test_physical_only), cmocka_unit_test(test_namespace),
		cmocka_unit_test(test_disks),         cmocka_unit_test(test_recorded_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
