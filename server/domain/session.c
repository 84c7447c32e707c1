#include "session.h"

#include <sodium.h>

#include "id.h"

void session_make(char text[static SESSION_TEXT_SIZE + 1])
{
	unsigned char bytes[SESSION_TEXT_SIZE / 2];

	id_random(bytes, sizeof(bytes));
	sodium_bin2hex(text, SESSION_TEXT_SIZE + 1, bytes, sizeof(bytes));
	sodium_memzero(bytes, sizeof(bytes));
}

bool session_is_token(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			return false;
	}
	return text.len == SESSION_TEXT_SIZE;
}

void session_hash(const struct key_secret *secret, struct str text,
		  unsigned char hash[static KEY_HASH_SIZE])
{
	static const unsigned char purpose[] = "session:";
	crypto_generichash_state state;

	crypto_generichash_init(&state, secret->bytes, sizeof(secret->bytes), KEY_HASH_SIZE);
	crypto_generichash_update(&state, purpose, sizeof(purpose) - 1);
	crypto_generichash_update(&state, (const unsigned char *)text.at, text.len);
	crypto_generichash_final(&state, hash, KEY_HASH_SIZE);
}

static void settle_end(struct session *s, const struct session_limits *limits)
{
	int64_t idle = s->seen_at.us + limits->idle_us;
	int64_t last = s->created_at.us + limits->max_us;

	s->ends_at.us = idle < last ? idle : last;
}

void session_begin(struct session *s, const struct session_limits *limits, timestamp_us now)
{
	s->created_at = s->seen_at = now;
	settle_end(s, limits);
}

bool session_see(struct session *s, const struct session_limits *limits, timestamp_us now)
{
	if (now.us - s->seen_at.us < SESSION_SEEN_US)
		return false;
	s->seen_at = now;
	settle_end(s, limits);
	return true;
}
