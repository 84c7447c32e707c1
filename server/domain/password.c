#include "password.h"

#include <sodium.h>

err_t password_hash(struct arena *a, struct str password, const char **ret_hash)
{
	char *hash = arena_zalloc(a, 1, crypto_pwhash_STRBYTES);

	if (password.len < PASSWORD_MIN || password.len > PASSWORD_MAX)
		return err_new(a, ERR_INVALID, "a password must have %d to %d bytes", PASSWORD_MIN,
			       PASSWORD_MAX);
	if (crypto_pwhash_str(hash, password.at, password.len, crypto_pwhash_OPSLIMIT_INTERACTIVE,
			      crypto_pwhash_MEMLIMIT_INTERACTIVE))
		return err_new(a, ERR_BUSY, "out of memory to hash a password");
	*ret_hash = hash;
	return NULL;
}

/* The hash of a password that no one knows, with the costs of password_hash(). */
static const char nobodys_hash[crypto_pwhash_STRBYTES] =
	"$argon2id$v=19$m=65536,t=2,p=1$mPxvR0OnzGksx2081aUcBg$QuutyJzQPXf3BJhzYmFY8MVhJiqhROQFxLXEMQU2Lxc";

bool password_matches(struct str password, const char *hash)
{
	bool matches;

	if (password.len > PASSWORD_MAX)
		return false;
	matches = crypto_pwhash_str_verify(hash ? hash : nobodys_hash, password.at, password.len) ==
		  0;
	return matches && hash;
}
