#include "sdk_key.h"

#include <assert.h>
#include <string.h>

struct str sdk_key_below(char room[JSON_KEY_MAX_BYTES], struct str above, struct str name)
{
	size_t skip = above.len ? above.len + 1 : 0;

	if (!above.at || name.len > JSON_KEY_MAX_BYTES || skip + name.len > JSON_KEY_MAX_BYTES)
		return (struct str){ NULL, 0 };
	if (skip)
		room[above.len] = '.';
	if (name.len)
		memcpy(room + skip, name.at, name.len);
	return (struct str){ room, skip + name.len };
}

struct str sdk_key_of_type(char room[SDK_KEY_TYPE_SIZE], struct str key)
{
	assert(key.len <= JSON_KEY_MAX_BYTES);
	memcpy(room, key.at, key.len);
	memcpy(room + key.len, SDK_KEY_TYPE, sizeof(SDK_KEY_TYPE));
	return (struct str){ room, key.len + sizeof(SDK_KEY_TYPE) - 1 };
}
