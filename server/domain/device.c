#include "device.h"

#include <sodium.h>
#include <string.h>

#include "id.h"

/* The id has a fixed length, so the name needs no separator. */
static void sign(const struct key_secret *secret, struct str id, struct str user,
		 char text[static 2 * KEY_HASH_SIZE + 1])
{
	static const unsigned char purpose[] = "device:";
	unsigned char hash[KEY_HASH_SIZE];
	crypto_generichash_state state;

	crypto_generichash_init(&state, secret->bytes, sizeof(secret->bytes), sizeof(hash));
	crypto_generichash_update(&state, purpose, sizeof(purpose) - 1);
	crypto_generichash_update(&state, (const unsigned char *)id.at, id.len);
	crypto_generichash_update(&state, (const unsigned char *)user.at, user.len);
	crypto_generichash_final(&state, hash, sizeof(hash));
	sodium_bin2hex(text, 2 * KEY_HASH_SIZE + 1, hash, sizeof(hash));
}

void device_make(const struct key_secret *secret, struct str user,
		 char text[static DEVICE_TEXT_SIZE + 1])
{
	unsigned char bytes[DEVICE_ID_SIZE / 2];

	id_random(bytes, sizeof(bytes));
	sodium_bin2hex(text, DEVICE_ID_SIZE + 1, bytes, sizeof(bytes));
	sign(secret, (struct str){ text, DEVICE_ID_SIZE }, user, text + DEVICE_ID_SIZE);
}

bool device_is_of(const struct key_secret *secret, struct str text, struct str user)
{
	char right[2 * KEY_HASH_SIZE + 1];

	if (text.len != DEVICE_TEXT_SIZE)
		return false;
	sign(secret, device_id(text), user, right);
	return sodium_memcmp(right, text.at + DEVICE_ID_SIZE, 2 * KEY_HASH_SIZE) == 0;
}

struct str device_id(struct str text)
{
	return (struct str){ text.at, DEVICE_ID_SIZE };
}
