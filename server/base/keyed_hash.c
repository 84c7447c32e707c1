#include "keyed_hash.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "id.h"

static_assert(sizeof(struct hash_key) == crypto_shorthash_KEYBYTES, "a key of SipHash");
static_assert(sizeof(uint64_t) == crypto_shorthash_BYTES, "a hash of SipHash");

void hash_key_make(struct hash_key *ret_key)
{
	id_random(ret_key->bytes, sizeof(ret_key->bytes));
}

uint64_t hash_keyed(const struct hash_key *key, struct str s)
{
	unsigned char out[crypto_shorthash_BYTES];
	uint64_t hash;

	crypto_shorthash(out, (const unsigned char *)s.at, s.len, key->bytes);
	memcpy(&hash, out, sizeof(hash));
	return hash;
}
