#ifndef DUMP_H
#define DUMP_H

#include "scene.h"
#include "tail_store.h"

/* What the store answers, as text: equal answers are equal texts, to the last bit of a double. */

/* "0 w0 s5 loss=0x1p-1 note=\"x\"", a line for each row that is there. */
const char *dump_rows(struct scene *s, enum stream stream);
/* Charts of the first keys, in few buckets and in many, together and by writer. */
const char *dump_charts(struct scene *s, enum stream stream);
/* Keys with counts, kinds and last values. */
const char *dump_keys(struct scene *s, enum stream stream);
const char *dump_summary(struct scene *s);
const char *dump_config(struct scene *s);
/* "0:0 text", writer and line number. */
const char *dump_console(struct scene *s);
/* All of it. */
const char *dump_run(struct scene *s);

/* Fails with the first line that differs. */
void assert_same_text(const char *what, const char *is, const char *expected);

#endif
