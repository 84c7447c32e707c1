#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>

#include "key.h"

/*
 * A browser that has signed in as a user before keeps a text that proves it:
 * a random id, and a keyed hash of the id and the user's name. It gives no
 * access. It only shows that wrong passwords of others for the name are not
 * those of this browser (sign_in_gate.h). It is not stored on the server.
 */
enum {
	DEVICE_ID_SIZE = 32, /* hex characters, as the hash has */
	DEVICE_TEXT_SIZE = DEVICE_ID_SIZE + 2 * KEY_HASH_SIZE,
};

void device_make(const struct key_secret *secret, struct str user,
		 char text[static DEVICE_TEXT_SIZE + 1]);
bool device_is_of(const struct key_secret *secret, struct str text, struct str user);
/* The id of a valid device text. */
struct str device_id(struct str text);

#endif
