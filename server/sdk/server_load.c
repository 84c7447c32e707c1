#include "server_load.h"

static bool is_beyond(size_t used, size_t limit, unsigned percent)
{
	return used > limit / 100 * percent;
}

bool server_load_is_high(const struct server_load *load)
{
	return is_beyond(load->memory, load->memory_limit, SERVER_LOAD_MEMORY_PERCENT) ||
	       is_beyond(load->waiting * 100, load->waiting_limit * 100, SERVER_LOAD_QUEUE_PERCENT);
}

bool server_load_was_high(int64_t high_us, int64_t now_us)
{
	return high_us && now_us - high_us < (int64_t)SERVER_LOAD_LASTS_S * 1000000;
}
