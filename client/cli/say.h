#ifndef SAY_H
#define SAY_H

/* One line on standard error, "cairn: ..."; control characters are escaped, but for the line feeds of a hint. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
