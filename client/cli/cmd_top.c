/* cairn top: runs, metrics and devices on the terminal, as they change. */
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "host_source.h"
#include "say.h"
#include "server_source.h"
#include "spool_source.h"
#include "top.h"

#define INTERVAL_DEFAULT_MS 1000

const struct cli_option top_options[] = {
	{ "host", 0, NULL, "Show this host, without a server." },
	{ "pid", 0, "PID", "With --host: also show the process PID and its children." },
	{ "interval", 'i', "MS", "With --host: milliseconds between two samples [1000]." },
	{ "spool", 's', NULL,
	  "TARGET is a spool folder [CAIRN_SPOOL_DIR, else .cairn/spool]; no server is needed." },
	{ "filter", 'f', "FILTER", "Show only runs that match, as for cairn ls." },
	{ "ascii", 'a', NULL, "Draw in ASCII [if the locale is not UTF-8]." },
	{ "order", 'o', "ORDER", "Sort runs by a key, as for cairn ls: -summary.loss ..." },
	{ "once", 0, NULL, "Print one screen as text, of COLUMNS by LINES, and exit." },
	{ 0 },
};

static struct top_source *make_host(const struct cli *cli)
{
	long interval_ms = INTERVAL_DEFAULT_MS, pid = 0;
	struct host_options options;

	if (!cli_int(cli, "interval", 100, 60000, &interval_ms) ||
	    !cli_int(cli, "pid", 1, 1 << 22, &pid))
		return NULL;
	options = (struct host_options){ (unsigned)interval_ms, (pid_t)pid };
	return host_source_new(&options);
}

/* Projects are not named like paths, but for one that begins with a dot. */
static bool is_folder(const char *target)
{
	struct stat found;

	if (target[0] == '/' || strncmp(target, "./", 2) == 0 || strncmp(target, "../", 3) == 0)
		return true;
	return target[0] == '.' && stat(target, &found) == 0 && S_ISDIR(found.st_mode);
}

static struct top_source *make_source(const struct cli *cli)
{
	const char *target = cli->argc ? cli->argv[0] : NULL;

	if (cli_has(cli, "host"))
		return make_host(cli);
	if (cli_has(cli, "spool") || (target && is_folder(target)))
		return spool_source_new(target);
	return server_source_new(cli, target);
}

int command_top(struct cli *cli)
{
	struct top_options options = { cli_has(cli, "once") ? TOP_ONCE : TOP_SCREEN,
				       cli_has(cli, "ascii") };
	bool is_host = cli_has(cli, "host");
	struct top_source *source;

	if (cli->argc > 1 || (is_host && cli->argc)) {
		say(is_host ? "top --host takes no argument"
			    : "top takes one project, run or folder");
		return EXIT_USAGE;
	}
	if (!is_host && (cli_has(cli, "pid") || cli_has(cli, "interval"))) {
		say("--pid and --interval require --host");
		return EXIT_USAGE;
	}
	source = make_source(cli);
	return source ? top_run(source, &options) : EXIT_USAGE;
}
