/* command_test.c - the command: its lines, its options, its end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[65536];

/* Runs the command by the shell; its status. */
static int run(const char *arguments)
{
	char line[1024];

	snprintf(line, sizeof line, "'%s' %s 2>&1", COMMAND, arguments);
	FILE *pipe = popen(line, "r");
	assert_non_null(pipe);
	size_t length = fread(output, 1, sizeof output - 1, pipe);
	output[length] = '\0';
	int status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int count_lines(void)
{
	int lines = 0;

	for (const char *at = output; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	return lines;
}

static void test_count(void **state)
{
	(void)state;
	assert_int_equal(run("--interval 0.1 --count 3 --disk-path / --disk-path /tmp"), 0);
	assert_int_equal(count_lines(), 3);
	assert_int_equal(strncmp(output, "{\"_timestamp\":", 14), 0);
	assert_non_null(strstr(output, "\"memory_percent\":"));
	assert_non_null(strstr(output, "\"disk./tmp.usageGB\":"));
	assert_int_equal(run("--once --interval 0.1 --no-process-tree --no-gpu"), 0);
	assert_int_equal(count_lines(), 1);
}

static void test_metadata(void **state)
{
	(void)state;
	assert_int_equal(run("--metadata"), 0);
	assert_non_null(strstr(output, "\"cpu_count_logical\":"));
	assert_int_equal(count_lines(), 1);
}

static void test_help(void **state)
{
	(void)state;
	assert_int_equal(run("--help"), 0);
	assert_non_null(strstr(output, "--interval SECONDS"));
	assert_int_equal(run("--version"), 0);
	assert_int_equal(run("--help > /dev/full"), 1);
}

static void test_wrong_options(void **state)
{
	static const char *const rows[] = {
		"--interval 0",   "--interval 0.01",  "--interval x",
		"--interval nan", "--pid 0",          "--pid -3",
		"--pid 1x",       "--count 0",        "--gpu ''",
		"--gpu 1,x",      "--gpu 1,,2",       "--gpu 1,",
		"--gpu 1001",     "--disk-path data", "--unknown",
		"--interval 1s",  "--once=1",         "extra",
		"--gpu tpu:1",    "--devices 1",      "--devices xpu:1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(run(rows[i]), 2);
		assert_true(count_lines() >= 1);
	}
	run("--gpu 1,x");
	assert_non_null(strstr(output, "\"1,x\""));
	run("--unknown");
	assert_string_equal(output, "cairn-sampler: unknown option \"--unknown\"; see --help\n");
	run("--interval");
	assert_string_equal(output,
			    "cairn-sampler: missing value after \"--interval\"; see --help\n");
	assert_int_equal(run("--pid 4194305"), 2); /* greater than any */
	assert_string_equal(output, "cairn-sampler: process 4194305 does not exist\n");
	assert_int_equal(run("--disk-path \"$(printf '/a\\377')\""), 2);
}

/* It ends with a last row when asked to. */
static void test_signal(void **state)
{
	int ends[2], status;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		execl(COMMAND, COMMAND, "--interval", "0.1", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	FILE *lines = fdopen(ends[0], "r");
	assert_non_null(fgets(output, sizeof output, lines));
	kill(child, SIGTERM);
	int rest = 0;
	while (fgets(output, sizeof output, lines))
		rest++;
	assert_true(rest >= 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	fclose(lines);
}

/* Nobody reads any more. */
static void test_closed_output(void **state)
{
	(void)state;
	assert_int_equal(run("--interval 0.1 | head -n 1"), 0);
	assert_int_equal(count_lines(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),  cmocka_unit_test(test_metadata),
		cmocka_unit_test(test_help),   cmocka_unit_test(test_wrong_options),
		cmocka_unit_test(test_signal), cmocka_unit_test(test_closed_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
