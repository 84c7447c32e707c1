#ifndef SETUP_TOKEN_H
#define SETUP_TOKEN_H

#include <stdbool.h>

#include "key.h"

/*
 * The token for creating the first user: a person who can read the log of a server
 * may. It is made of the servers' secret and of a random seed in the database, so
 * that it is stored nowhere, all servers of the database know the same one, and a
 * restart does not change it. It is not valid once there is a user.
 */
#define SETUP_TOKEN_SETTING "first_admin" /* the seed's name among the settings of the database */
enum {
	SETUP_TOKEN_SIZE = 32,      /* hex characters */
	SETUP_TOKEN_SEED_SIZE = 32, /* characters */
};

void setup_token_seed(char seed[static SETUP_TOKEN_SEED_SIZE + 1]);
void setup_token_make(const struct key_secret *secret, struct str seed,
		      char text[static SETUP_TOKEN_SIZE + 1]);
/* Takes the same time for any text of a token's size. */
bool setup_token_matches(const struct key_secret *secret, struct str seed, struct str text);

#endif
