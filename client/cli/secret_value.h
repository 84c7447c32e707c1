#ifndef SECRET_VALUE_H
#define SECRET_VALUE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it has the form of a key that a service gives out: sk-..., ghp_..., AKIA... */
bool secret_value_is_key(const char *value, size_t length) __attribute__((nonnull));

/* Returns the password in "user:password", or NULL if the text has another form. Two numbers are ids of a user and a group. */
const char *secret_value_of_login(const char *value, size_t length) __attribute__((nonnull));

/* The meaning of the value of "-p" after a program or a word of a command line. */
enum secret_p { SECRET_P_BY_VALUE, SECRET_P_PASSWORD, SECRET_P_OTHER };

/* As `before`, or what this word says of it: sshpass and login take a password; srun, pytest and mkdir do not. */
enum secret_p secret_p_after(const char *word, size_t length, enum secret_p before)
	__attribute__((nonnull));

/* Whether that is a password. By its value: not a number, a port, a path, an option or a word of small letters. */
bool secret_value_of_p(const char *value, size_t length, enum secret_p meaning)
	__attribute__((nonnull));

#endif
