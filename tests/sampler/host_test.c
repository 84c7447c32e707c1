/* host_test.c - the host's pressure, limits that were felt, links, NFS, CPUs, sensors, open files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"

static void expect(const char *name, double value)
{
	EXPECT({ name, value });
}

static void write_pressure(struct machine *machine, const char *file, int some_us, int full_us)
{
	char path[100];

	snprintf(path, sizeof path, "proc/pressure/%s", file);
	fixture_write(&machine->fixture, path,
		      "some avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n"
		      "full avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n",
		      some_us, full_us);
}

/* The share of the time since the row before, whatever that was. */
static void test_pressure(void **state)
{
	struct machine *machine = *state;

	write_pressure(machine, "cpu", 1000, 0);
	write_pressure(machine, "memory", 0, 0);
	write_pressure(machine, "io", 500, 100);
	machine_start(machine);
	double before_s = now_s();
	usleep(100000);
	machine_sample(machine);
	expect("pressure.cpu.some", 0);
	usleep(100000);
	write_pressure(machine, "cpu", 1000 + 10000, 0);
	write_pressure(machine, "io", 500 + 4000, 100 + 2000);
	machine_sample(machine);
	double passed_s = now_s() - before_s;
	double some = row_value(&row, "pressure.cpu.some");
	assert_true(some >= 100 * 0.010 / passed_s && some <= 100 * 0.010 / 0.080);
	assert_true(fabs(row_value(&row, "pressure.io.some") / some - 0.4) < 0.1);
	assert_true(fabs(row_value(&row, "pressure.io.full") / some - 0.2) < 0.1);
	expect("pressure.memory.some", 0);
	expect("pressure.memory.full", 0);
}

static void test_no_pressure(void **state)
{
	struct machine *machine = *state;

	machine_start(machine);
	machine_sample(machine);
	expect("pressure.cpu.some", NAN);
	char *text = sampler_explain(machine->sampler);
	assert_non_null(strstr(text, "pressure: none: no readable files in "));
	free(text);
}

static void write_group(struct machine *machine, int periods, int throttled, int us, int kills)
{
	static const char folder[] = "sys/fs/cgroup/job";
	char path[100];

	fixture_write(&machine->fixture, "proc/100/cgroup", "0::/job\n");
	fixture_write(&machine->fixture, "proc/100/mountinfo",
		      "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	snprintf(path, sizeof path, "%s/cpu.stat", folder);
	fixture_write(&machine->fixture, path,
		      "usage_usec 1\nuser_usec 1\nsystem_usec 0\nnr_periods %d\nnr_throttled %d\n"
		      "throttled_usec %d\n",
		      periods, throttled, us);
	snprintf(path, sizeof path, "%s/cpu.max", folder);
	fixture_write(&machine->fixture, path, "150000 100000\n");
	snprintf(path, sizeof path, "%s/memory.events", folder);
	fixture_write(&machine->fixture, path, "low 0\nhigh 0\nmax 9\noom 3\noom_kill %d\n", kills);
}

static void test_limits_that_were_felt(void **state)
{
	struct machine *machine = *state;

	write_group(machine, 100, 50, 7000000, 2);
	machine_start(machine);
	machine_sample(machine);
	expect("cgroup.cpu.throttledPercent", 0);
	expect("cgroup.cpu.throttledSeconds", 0);
	expect("memory.oomKills", 0);
	write_group(machine, 140, 60, 7500000, 3);
	machine_sample(machine);
	expect("cgroup.cpu.throttledPercent", 25);
	expect("cgroup.cpu.throttledSeconds", 0.5);
	expect("memory.oomKills", 1);
}

/* A hybrid of both versions: the unified group has a cpu.stat, but without what a quota counts. */
static void test_version_1(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, "sys/fs/cgroup/unified/cpu.stat", "usage_usec 5\n");
	fixture_write(&machine->fixture, "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "150000\n");
	fixture_write(&machine->fixture, "sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
	fixture_write(&machine->fixture, "proc/100/cgroup",
		      "4:memory:/job\n3:cpu,cpuacct:/job\n0::/\n");
	fixture_write(&machine->fixture, "proc/100/mountinfo",
		      "30 23 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		      "31 23 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		      "32 23 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
	fixture_write(&machine->fixture, "sys/fs/cgroup/cpu/job/cpu.stat",
		      "nr_periods 10\nnr_throttled 1\nthrottled_time 1000000000\n");
	fixture_write(&machine->fixture, "sys/fs/cgroup/memory/job/memory.oom_control",
		      "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
	machine_start(machine);
	machine_sample(machine);
	fixture_write(&machine->fixture, "sys/fs/cgroup/cpu/job/cpu.stat",
		      "nr_periods 20\nnr_throttled 11\nthrottled_time 3000000000\n");
	fixture_write(&machine->fixture, "sys/fs/cgroup/memory/job/memory.oom_control",
		      "oom_kill_disable 0\nunder_oom 0\noom_kill 6\n");
	machine_sample(machine);
	expect("cgroup.cpu.throttledPercent", 100);
	expect("cgroup.cpu.throttledSeconds", 2);
	expect("memory.oomKills", 1);
}

/* The quota of an ancestor is felt in the leaf, whose own counters do not move. */
static void test_quota_of_an_ancestor(void **state)
{
	struct machine *machine = *state;
	static const char stat[] = "nr_periods %d\nnr_throttled %d\nthrottled_usec %d\n";

	fixture_write(&machine->fixture, "proc/100/cgroup", "0::/job/step\n");
	fixture_write(&machine->fixture, "proc/100/mountinfo",
		      "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fixture_write(&machine->fixture, "sys/fs/cgroup/job/cpu.max", "50000 100000\n");
	fixture_write(&machine->fixture, "sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
	fixture_write(&machine->fixture, "sys/fs/cgroup/job/step/cpu.stat", stat, 0, 0, 0);
	fixture_write(&machine->fixture, "sys/fs/cgroup/job/cpu.stat", stat, 10, 5, 100);
	machine_start(machine);
	machine_sample(machine);
	fixture_write(&machine->fixture, "sys/fs/cgroup/job/cpu.stat", stat, 20, 10, 200);
	machine_sample(machine);
	expect("cgroup.cpu.throttledPercent", 50);
}

static void test_no_quota(void **state)
{
	struct machine *machine = *state;

	write_group(machine, 0, 0, 0, 0);
	fixture_write(&machine->fixture, "sys/fs/cgroup/job/cpu.max", "max 100000\n");
	machine_start(machine);
	machine_sample(machine);
	expect("cgroup.cpu.throttledPercent", NAN);
	expect("memory.oomKills", 0);
}

/* A group that is gone does not hand its counter over to the host. */
static void test_group_ends(void **state)
{
	struct machine *machine = *state;

	write_group(machine, 1, 0, 0, 1);
	fixture_write(&machine->fixture, "proc/vmstat", "oom_kill 120\n");
	machine_start(machine);
	machine_sample(machine);
	fixture_remove(&machine->fixture, "sys/fs/cgroup/job/memory.events");
	machine_sample(machine);
	expect("memory.oomKills", NAN);
}

static void test_kills_of_the_host(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, "proc/vmstat", "pgpgin 1\noom_kill 7\n");
	machine_start(machine);
	machine_sample(machine);
	fixture_write(&machine->fixture, "proc/vmstat", "pgpgin 1\noom_kill 9\n");
	machine_sample(machine);
	expect("memory.oomKills", 2);
	expect("cgroup.cpu.throttledPercent", NAN);
}

#define PORT "sys/class/infiniband/mlx5_0/ports/1/counters/"

static void test_infiniband(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, PORT "port_rcv_data", "1000\n");
	fixture_write(&machine->fixture, PORT "port_xmit_data", "500\n");
	fixture_write(&machine->fixture, PORT "port_rcv_errors", "3\n");
	fixture_write(&machine->fixture, PORT "link_downed", "N/A (no PMA)\n");
	fixture_write(&machine->fixture, "sys/class/infiniband/efa_0/ports/1/hw_counters/rx_bytes",
		      "7\n");
	machine_start(machine);
	machine_sample_until_value(machine, "infiniband.mlx5_0.1.recv", 0);
	machine_rewrite(machine, "sys/class/infiniband/efa_0/ports/1/hw_counters/rx_bytes", "9\n");
	machine_rewrite(machine, PORT "port_xmit_data", "100\n"); /* the port was reset */
	machine_rewrite(machine, PORT "port_rcv_data", "1250\n");
	machine_sample_until_value(machine, "infiniband.mlx5_0.1.recv", 1000);
	machine_sample_until_value(machine, "infiniband.efa_0.1.recv", 2);
	expect("infiniband.mlx5_0.1.sent", 400);
	expect("infiniband.mlx5_0.1.recvErrors", 0);
	expect("infiniband.mlx5_0.1.linkDowned", NAN);
	expect("infiniband.efa_0.1.sent", NAN);
}

/* A device that goes and comes back counts on. */
static void test_infiniband_returns(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, PORT "port_rcv_data", "100\n");
	machine_start(machine);
	machine_sample_until_value(machine, "infiniband.mlx5_0.1.recv", 0);
	machine_rewrite(machine, PORT "port_rcv_data", "200\n");
	machine_sample_until_value(machine, "infiniband.mlx5_0.1.recv", 400);
	fixture_remove(&machine->fixture, PORT "port_rcv_data");
	machine_sample_until_gone(machine, "infiniband.mlx5_0.1.recv");
	machine_rewrite(machine, PORT "port_rcv_data", "5\n");
	machine_sample_until_value(machine, "infiniband.mlx5_0.1.recv", 400);
}

static void write_mounts(struct machine *machine, long read, long written)
{
	static const char mount[] =
		"device nas:/home mounted on %s with fstype nfs4 statvers=1.1\n"
		"\topts:\trw,vers=4.2\n\tage:\t7\n\tbytes:\t1 2 3 4 %ld %ld 5 6\n";
	char text[1000];
	int length = snprintf(text, sizeof text,
			      "device sysfs mounted on /sys with fstype sysfs\n"
			      "device /dev/sda1 mounted on / with fstype ext4\n");

	length += snprintf(text + length, sizeof text - (size_t)length, mount, "/home", read,
			   written);
	snprintf(text + length, sizeof text - (size_t)length, mount, "/mnt/home", read, written);
	fixture_write(&machine->fixture, "proc/100/mountstats", "%s", text);
}

/* An export that is mounted twice counts once. */
static void test_nfs(void **state)
{
	struct machine *machine = *state;

	write_mounts(machine, 1000, 5000);
	machine_start(machine);
	machine_sample(machine);
	expect("nfs.read", 0);
	write_mounts(machine, 1000 + 3 * 1048576, 5000 + 1048576);
	machine_sample(machine);
	expect("nfs.read", 3);
	expect("nfs.written", 1);
}

static void test_no_nfs(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, "proc/100/mountstats",
		      "device /dev/sda1 mounted on / with fstype ext4\n");
	machine_start(machine);
	machine_sample(machine);
	expect("nfs.read", NAN);
}

static void test_cores(void **state)
{
	struct machine *machine = *state;

	fixture_write(
		&machine->fixture, "proc/stat",
		"cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 10 0 10 80 0 0 0 0 0 0\ncpu12 0 0 0 100 0 0 0 0 0 0\nintr 5\n");
	machine->options.flags = SAMPLER_PER_CORE;
	machine_start(machine);
	fixture_write(
		&machine->fixture, "proc/stat",
		"cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 30 0 20 130 10 5 5 0 0 0\ncpu12 0 0 0 200 0 0 0 0 0 0\nintr 5\n");
	machine_sample(machine);
	expect("cpu.0.cpu_percent", 40); /* 40 of 100 ticks; waiting for a disk is idle */
	expect("cpu.12.cpu_percent", 0);
	expect("cpu.1.cpu_percent", NAN);
}

static void test_no_cores_by_default(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, "proc/stat", "cpu0 10 0 10 80 0 0 0 0 0 0\n");
	machine_start(machine);
	fixture_write(&machine->fixture, "proc/stat", "cpu0 20 0 10 80 0 0 0 0 0 0\n");
	machine_sample(machine);
	expect("cpu.0.cpu_percent", NAN);
}

static void test_temperature(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, "sys/class/hwmon/hwmon0/name", "nvme\n");
	fixture_write(&machine->fixture, "sys/class/hwmon/hwmon0/temp1_input", "99000\n");
	fixture_write(&machine->fixture, "sys/class/hwmon/hwmon1/name", "coretemp\n");
	fixture_write(&machine->fixture, "sys/class/hwmon/hwmon1/temp1_input", "51000\n");
	fixture_write(&machine->fixture, "sys/class/hwmon/hwmon1/temp2_input", "62500\n");
	fixture_write(&machine->fixture, "sys/class/hwmon/hwmon1/temp2_max", "100000\n");
	machine_start(machine);
	machine_sample(machine);
	expect("cpu.temp", 62.5);
}

static void test_huge_pages(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, "proc/meminfo",
		      "MemTotal: 1000 kB\nMemAvailable: 500 kB\nHugePages_Total: 8\n"
		      "HugePages_Free: 6\nHugepagesize: 2048 kB\n");
	machine_start(machine);
	machine_sample(machine);
	expect("memory.hugePagesPercent", 25);
	expect("memory.hugePagesMB", 4);
	fixture_write(&machine->fixture, "proc/meminfo",
		      "MemTotal: 1000 kB\nMemAvailable: 500 kB\nHugePages_Total: 0\n"
		      "HugePages_Free: 0\nHugepagesize: 2048 kB\n");
	machine_sample(machine);
	expect("memory.hugePagesPercent", NAN);
}

/* Kernels that do not tell the number as the size of the folder. */
static void test_descriptors_by_folder(void **state)
{
	struct machine *machine = *state;

	fixture_write(
		&machine->fixture, "proc/100/limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max open files            400                  4096                 files     \n");
	fixture_write(&machine->fixture, "proc/100/fd/0", "%s", "");
	fixture_write(&machine->fixture, "proc/100/fd/1", "%s", "");
	machine_start(machine);
	machine_sample(machine);
	expect("proc.fileDescriptors", 2);
	expect("proc.fileDescriptorsPercent", 0.5);
}

/* Of this very process. */
static void test_descriptors(void **state)
{
	(void)state;
	struct sampler *sampler = sampler_new(NULL);
	sampler_sample(sampler, &row);
	double before = row_value(&row, "proc.fileDescriptors");
	int fds[20];
	for (int i = 0; i < 20; i++)
		fds[i] = dup(1);
	sampler_sample(sampler, &row);
	expect("proc.fileDescriptors", before + 20);
	for (int i = 0; i < 20; i++)
		close(fds[i]);
	sampler_free(sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(test_pressure),
		ON_MACHINE(test_no_pressure),
		ON_MACHINE(test_limits_that_were_felt),
		ON_MACHINE(test_version_1),
		ON_MACHINE(test_quota_of_an_ancestor),
		ON_MACHINE(test_no_quota),
		ON_MACHINE(test_group_ends),
		ON_MACHINE(test_kills_of_the_host),
		ON_MACHINE(test_infiniband),
		ON_MACHINE(test_infiniband_returns),
		ON_MACHINE(test_nfs),
		ON_MACHINE(test_no_nfs),
		ON_MACHINE(test_cores),
		ON_MACHINE(test_no_cores_by_default),
		ON_MACHINE(test_temperature),
		ON_MACHINE(test_huge_pages),
		ON_MACHINE(test_descriptors_by_folder),
		cmocka_unit_test(test_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
