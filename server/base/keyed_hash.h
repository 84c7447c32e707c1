#ifndef KEYED_HASH_H
#define KEYED_HASH_H

#include <stdint.h>

#include "str.h"

/*
 * For tables of names that clients choose: SipHash under a random key of the table's own, so that
 * no client can choose names that all collide.
 */
struct hash_key {
	unsigned char bytes[16];
};

void hash_key_make(struct hash_key *ret_key);
uint64_t hash_keyed(const struct hash_key *key, struct str s);

#endif
