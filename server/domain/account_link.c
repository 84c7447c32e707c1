#include "account_link.h"

#include <sodium.h>

#include "access.h"
#include "arena.h"
#include "id.h"

const char *account_link_kind_name(enum account_link_kind kind)
{
	return kind == ACCOUNT_LINK_INVITATION ? "invitation" : "password";
}

void account_link_make(char text[static ACCOUNT_LINK_TEXT_SIZE + 1])
{
	unsigned char bytes[ACCOUNT_LINK_TEXT_SIZE / 2];

	id_random(bytes, sizeof(bytes));
	sodium_bin2hex(text, ACCOUNT_LINK_TEXT_SIZE + 1, bytes, sizeof(bytes));
	sodium_memzero(bytes, sizeof(bytes));
}

bool account_link_is_token(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			return false;
	}
	return text.len == ACCOUNT_LINK_TEXT_SIZE;
}

void account_link_hash(const struct key_secret *secret, struct str text,
		       unsigned char hash[static KEY_HASH_SIZE])
{
	static const unsigned char purpose[] = "account link:";
	crypto_generichash_state state;

	crypto_generichash_init(&state, secret->bytes, sizeof(secret->bytes), KEY_HASH_SIZE);
	crypto_generichash_update(&state, purpose, sizeof(purpose) - 1);
	crypto_generichash_update(&state, (const unsigned char *)text.at, text.len);
	crypto_generichash_final(&state, hash, KEY_HASH_SIZE);
}

const char *account_link_url(struct arena *a, struct str base, const char *token)
{
	return arena_printf(a, "%.*s" ACCOUNT_LINK_PATH "#%s", STR_ARG(base), token);
}

struct str account_link_words(struct arena *a, const struct account_link *link)
{
	const char *admin = link->is_admin ? "admin of the server" : "";

	if (link->user_id)
		return str_of(arena_printf(a, "password of %.*s", STR_ARG(link->user)));
	if (!link->team_id)
		return str_of(admin);
	return str_of(arena_printf(a, "%s%s%s of %.*s", admin, link->is_admin ? ", " : "",
				   entity_role_name((enum entity_role)link->role),
				   STR_ARG(link->team)));
}
