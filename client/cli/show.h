#ifndef SHOW_H
#define SHOW_H

#include "api.h"

/* The parts of cairn show; each asks the server and prints, 0 or an exit code after saying why. */
struct show {
	struct api *api;
	const char *run;
	const char *label;  /* NULL: all */
	const char *metric; /* NULL: the best guess */
	long console_lines; /* of each label */
	bool is_alone;      /* one part only: then it says so when there is nothing */
	bool has_colour;
};

int show_run(struct show *show) __attribute__((nonnull));
int show_writers(struct show *show) __attribute__((nonnull));
int show_states(struct show *show) __attribute__((nonnull));
int show_summary(struct show *show) __attribute__((nonnull));
int show_curve(struct show *show) __attribute__((nonnull));
int show_console(struct show *show) __attribute__((nonnull));
int show_system(struct show *show) __attribute__((nonnull));

/* In bold where there is colour, on a line of its own, behind an empty one. */
void show_title(const struct show *show, const char *title) __attribute__((nonnull));

#endif
