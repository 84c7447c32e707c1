#ifndef SDK_NUMBERS_H
#define SDK_NUMBERS_H

#include <stdbool.h>

#include "str.h"

/*
 * NaN and the infinities in JSON, which has none, as the reader of an answer takes them.
 *
 *	QUOTED	"NaN", "Infinity": good for every reader, which gets texts
 *	BARE	NaN, Infinity: Python's reader takes them for what they are
 *	LARGE	1e999 for an infinity, as a number that no double holds: strict JSON, and Python reads an
 *		infinity; null for NaN, which pandas makes NaN of
 *
 * The SDK's public API is read by Python up to 0.27. From 0.28 on a Go program stands between, which hands most
 * answers on unread but for their grammar, and reads the pages of scan_history(keys=…) itself, strictly.
 */
enum sdk_numbers { SDK_NUMBERS_QUOTED, SDK_NUMBERS_BARE, SDK_NUMBERS_LARGE };

/* By the request's User-Agent; `is_page`: one of many that scan_history() asks for. */
enum sdk_numbers sdk_numbers_of(struct str user_agent, bool is_page);

#endif
