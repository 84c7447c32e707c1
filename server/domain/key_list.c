#include "key_list.h"

#include "arena.h"

struct str key_list_next(struct arena *a, struct str *rest)
{
	char *key = arena_alloc(a, rest->len + 1);
	size_t len = 0;
	size_t i = 0;

	for (; i < rest->len && rest->at[i] != ','; i++) {
		bool escapes = rest->at[i] == '\\' && i + 1 < rest->len &&
			       (rest->at[i + 1] == ',' || rest->at[i + 1] == '\\');

		i += escapes;
		key[len++] = rest->at[i];
	}
	key[len] = '\0';
	*rest = i < rest->len ? (struct str){ rest->at + i + 1, rest->len - i - 1 }
			      : (struct str){ NULL, 0 };
	return (struct str){ key, len };
}
