/* proc_stat.c - see proc_stat.h and proc(5). */
#include "proc_stat.h"

#include <string.h>

#include "proc_file.h"

enum {
	FIELD_MINOR_FAULTS = 10,
	FIELD_MAJOR_FAULTS = 12,
	FIELD_UTIME = 14,
	FIELD_STIME,
	FIELD_CUTIME,
	FIELD_CSTIME,
	FIELD_THREADS = 20,
	FIELD_START = 22,
	FIELD_RSS = 24
};

static const char *skip_words(const char *text, int count)
{
	while (count-- > 0)
		text = proc_skip_word(text);
	return text;
}

/* From before field 5 to before the times. */
static bool parse_faults(const char **at, uint64_t *ret_faults)
{
	uint64_t minor, major;

	*at = skip_words(*at, FIELD_MINOR_FAULTS - 5);
	if (!proc_number(at, &minor))
		return false;
	*at = skip_words(*at, FIELD_MAJOR_FAULTS - FIELD_MINOR_FAULTS - 1);
	if (!proc_number(at, &major))
		return false;
	*ret_faults = minor + major;
	*at = skip_words(*at, FIELD_UTIME - FIELD_MAJOR_FAULTS - 1);
	return true;
}

/* Two neighbouring numbers, added. */
static bool parse_sum(const char **at, uint64_t *ret_sum)
{
	uint64_t a, b;

	if (!proc_number(at, &a) || !proc_number(at, &b))
		return false;
	*ret_sum = a + b;
	return true;
}

bool proc_stat_parse(const char *text, struct proc_stat *ret_stat)
{
	const char *at = strrchr(text, ')');
	struct proc_stat stat;
	uint64_t parent;

	if (!at || at[1] != ' ' || !at[2])
		return false;
	stat.state = at[2];
	at += 3; /* before field 4 */
	if (!proc_number(&at, &parent))
		return false;
	stat.parent = (pid_t)parent;
	if (!parse_faults(&at, &stat.faults) || !parse_sum(&at, &stat.self_ticks) ||
	    !parse_sum(&at, &stat.children_ticks))
		return false;
	at = skip_words(at, FIELD_THREADS - FIELD_CSTIME - 1);
	if (!proc_number(&at, &stat.threads))
		return false;
	at = skip_words(at, FIELD_START - FIELD_THREADS - 1);
	if (!proc_number(&at, &stat.start_ticks))
		return false;
	at = skip_words(at, FIELD_RSS - FIELD_START - 1);
	if (!proc_number(&at, &stat.rss_pages))
		return false;
	*ret_stat = stat;
	return true;
}
