#include "slurm.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "transport.h"

#define NEAR_S 60 /* before the end of the job: Slurm's signals come when it is near */
#define VALUE_MAX_BYTES 4096

static const char limit_script[] = "export LC_ALL=C\n"
				   "exec scontrol --oneliner show job \"$SLURM_JOB_ID\"\n";

/* sacct knows jobs that the controller has forgotten, scontrol those that are ending. */
static const char end_script[] =
	"export LC_ALL=C\n"
	"sacct --allocations --noheader --parsable2 --format=State --jobs=\"$SLURM_JOB_ID\" |\n"
	"\tsed 's/^/State=/'\n"
	"scontrol --oneliner show job \"$SLURM_JOB_ID\" | sed 's/JobState=/State=/'\n";

static const struct {
	const char *variable, *member;
} facts[] = {
	{ "SLURM_JOB_ID", "job_id" },
	{ "SLURM_JOB_NAME", "job_name" },
	{ "SLURM_ARRAY_JOB_ID", "array_job_id" },
	{ "SLURM_ARRAY_TASK_ID", "array_task_id" },
	{ "SLURM_STEP_ID", "step_id" },
	{ "SLURM_JOB_NUM_NODES", "job_num_nodes" },
	{ "SLURM_JOB_NODELIST", "job_nodelist" },
	{ "SLURM_NTASKS", "ntasks" },
	{ "SLURM_JOB_PARTITION", "job_partition" },
	{ "SLURM_CLUSTER_NAME", "cluster_name" },
	{ "SLURM_JOB_START_TIME", "job_start_time" },
	{ "SLURM_JOB_END_TIME", "job_end_time" },
	{ "SLURM_RESTART_COUNT", "restart_count" },
};

/* Words of sacct and scontrol; the first row that is found counts. */
static const struct {
	const char *word;
	enum slurm_end end;
} ends[] = {
	{ "State=PREEMPTED", SLURM_END_PREEMPTED },
	{ "Reason=Preempted", SLURM_END_PREEMPTED },
	{ "State=TIMEOUT", SLURM_END_TIME_LIMIT },
	{ "State=DEADLINE", SLURM_END_TIME_LIMIT },
	{ "Reason=TimeLimit", SLURM_END_TIME_LIMIT },
	{ "State=NODE_FAIL", SLURM_END_NODE_FAILED },
	{ "Reason=NodeFail", SLURM_END_NODE_FAILED },
	{ "State=OUT_OF_MEMORY", SLURM_END_OUT_OF_MEMORY },
	{ "Reason=OutOfMemory", SLURM_END_OUT_OF_MEMORY },
	{ "State=CANCELLED", SLURM_END_CANCELLED },
};

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

/* A whole number of up to 18 digits, or -1. */
static int64_t number_of(const char *name)
{
	const char *value = variable(name);
	size_t length = value ? strspn(value, "0123456789") : 0;

	return length && length <= 18 && !value[length] ? strtoll(value, NULL, 10) : -1;
}

bool slurm_has_job(void)
{
	return number_of("SLURM_JOB_ID") >= 0;
}

void slurm_start(struct inquiry *inquiry, const sigset_t *mask)
{
	bool is_known = number_of("SLURM_JOB_END_TIME") >= 0 &&
			number_of("SLURM_JOB_START_TIME") >= 0;

	*inquiry = (struct inquiry){ .output = -1 };
	if (slurm_has_job() && !is_known)
		inquiry_start(inquiry, limit_script, mask);
}

/* The value behind a key that begins a word, such as " TimeLimit="; NULL: there is none. */
static const char *find_value(const char *told, const char *key)
{
	for (const char *at = told; (at = strstr(at, key)); at++) {
		if (at == told || strchr(" \n", at[-1]))
			return at + strlen(key);
	}
	return NULL;
}

/* The number at *at, which moves behind it and the separator. -1 if there is none. */
static int64_t next_number(const char **at, char separator)
{
	size_t length = strspn(*at, "0123456789");
	int64_t number;

	if (length == 0 || length > 4 || (separator && (*at)[length] != separator))
		return -1;
	number = strtol(*at, NULL, 10);
	*at += length + (separator != '\0');
	return number;
}

/* "[days-]hours:minutes:seconds" in seconds; -1: no limit, or something else. */
static int64_t read_limit(const char *value)
{
	int64_t days = next_number(&value, '-');
	int64_t hours = next_number(&value, ':');
	int64_t minutes = next_number(&value, ':');
	int64_t seconds = next_number(&value, '\0');

	if (hours < 0 || minutes < 0 || seconds < 0)
		return -1;
	return (days < 0 ? 0 : days * 86400) + hours * 3600 + minutes * 60 + seconds;
}

static int64_t find_limit(const char *told)
{
	int64_t start = number_of("SLURM_JOB_START_TIME"), end = number_of("SLURM_JOB_END_TIME");
	const char *value = told ? find_value(told, "TimeLimit=") : NULL;

	if (start >= 0 && end > start)
		return end - start;
	return value ? read_limit(value) : -1;
}

void slurm_write(const struct inquiry *inquiry, struct text *object)
{
	struct text told = { 0 }, member = { 0 };
	int64_t limit_s;

	if (!slurm_has_job())
		return;
	text_add(&told, inquiry->told.data ? inquiry->told.data : "", inquiry->told.length);
	limit_s = find_limit(text_c_string(&told));
	text_str(&member, "{");
	for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
		const char *value = variable(facts[i].variable);

		if (value && strlen(value) <= VALUE_MAX_BYTES)
			text_json_member(&member, facts[i].member, value);
	}
	if (limit_s >= 0) {
		text_str(&member, ",\"time_limit_s\":");
		text_int(&member, limit_s);
	}
	text_str(&member, "}");
	if (text_c_string(&member))
		text_format(object, "%s\"slurm\":%s", object->length > 1 ? "," : "", member.data);
	text_deinit(&told);
	text_deinit(&member);
}

static enum slurm_end judge(const char *told)
{
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		if (find_value(told, ends[i].word))
			return ends[i].end;
	}
	return SLURM_END_NONE;
}

static bool is_near_end(void)
{
	int64_t end = number_of("SLURM_JOB_END_TIME");

	return end >= 0 && time(NULL) >= end - NEAR_S;
}

enum slurm_end slurm_ask_end(bool was_signalled, const sigset_t *mask)
{
	enum slurm_end end = SLURM_END_NONE;
	struct inquiry tool;

	inquiry_start(&tool, end_script, mask);
	inquiry_wait(&tool, transport_clock_us() + SLURM_TOOL_US);
	if (text_c_string(&tool.told))
		end = judge(tool.told.data);
	inquiry_stop(&tool);
	if (end == SLURM_END_NONE && was_signalled && is_near_end())
		end = SLURM_END_TIME_LIMIT;
	return end;
}

const char *slurm_end_reason(enum slurm_end end)
{
	static const char *const reasons[] = {
		[SLURM_END_NONE] = NULL,
		[SLURM_END_TIME_LIMIT] = "time limit of the Slurm job",
		[SLURM_END_PREEMPTED] = "preempted by Slurm",
		[SLURM_END_NODE_FAILED] = "node failure of the Slurm job",
		[SLURM_END_OUT_OF_MEMORY] = "out of memory in the Slurm job",
		[SLURM_END_CANCELLED] = "the Slurm job was cancelled",
	};

	return reasons[end];
}
