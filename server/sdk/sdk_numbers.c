#include "sdk_numbers.h"

static const struct str public_client = { "W&B Public Client ", 18 };

enum { GO_READS_SINCE = 28 }; /* 0.28 */

/* "0.19.9": whether it is older than the release from which on the Go program reads. */
static bool is_read_by_python(struct str version)
{
	struct str major = str_cut(&version, '.');
	struct str minor = str_cut(&version, '.');
	int64_t number;

	return str_is(major, "0") && str_to_int64(minor, 0, GO_READS_SINCE - 1, &number);
}

enum sdk_numbers sdk_numbers_of(struct str user_agent, bool is_page)
{
	struct str version;

	if (!str_starts(user_agent, public_client.at))
		return SDK_NUMBERS_QUOTED;
	version = (struct str){ user_agent.at + public_client.len,
				user_agent.len - public_client.len };
	if (is_read_by_python(version))
		return SDK_NUMBERS_BARE;
	return is_page ? SDK_NUMBERS_QUOTED : SDK_NUMBERS_LARGE;
}
