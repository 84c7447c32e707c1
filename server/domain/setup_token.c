#include "setup_token.h"

#include <sodium.h>

#include "id.h"

void setup_token_seed(char seed[static SETUP_TOKEN_SEED_SIZE + 1])
{
	id_text(seed, SETUP_TOKEN_SEED_SIZE);
}

void setup_token_make(const struct key_secret *secret, struct str seed,
		      char text[static SETUP_TOKEN_SIZE + 1])
{
	static const unsigned char purpose[] = "first admin:";
	unsigned char hash[SETUP_TOKEN_SIZE / 2];
	crypto_generichash_state state;

	crypto_generichash_init(&state, secret->bytes, sizeof(secret->bytes), sizeof(hash));
	crypto_generichash_update(&state, purpose, sizeof(purpose) - 1);
	crypto_generichash_update(&state, (const unsigned char *)seed.at, seed.len);
	crypto_generichash_final(&state, hash, sizeof(hash));
	sodium_bin2hex(text, SETUP_TOKEN_SIZE + 1, hash, sizeof(hash));
}

bool setup_token_matches(const struct key_secret *secret, struct str seed, struct str text)
{
	char right[SETUP_TOKEN_SIZE + 1];

	setup_token_make(secret, seed, right);
	return text.len == SETUP_TOKEN_SIZE && sodium_memcmp(right, text.at, SETUP_TOKEN_SIZE) == 0;
}
