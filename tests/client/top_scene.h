#ifndef TOP_SCENE_H
#define TOP_SCENE_H

#include "draw.h"

/* A project with three runs, of which one is shown, as a screen that is drawn without a terminal. */
struct top_scene {
	struct model model;
	struct view view;
	struct cells cells;
};

/* The time by which everything is shown, as model_now() says it. */
#define TOP_SCENE_NOW_S 1000000

void top_scene_init(struct top_scene *scene, enum model_kind kind, int width, int height);
void top_scene_deinit(struct top_scene *scene);

/* Twenty lines of output, from this number on, in place of what is there. */
void top_scene_add_lines(struct model *model, size_t from);

/* Presses keys: characters, "\t", "\n", "\033". */
void top_scene_keys(struct top_scene *scene, const char *keys);

/* Draws and compares the whole screen; prints it if it is another one. */
void top_scene_check(struct top_scene *scene, const char *expected);
/* Draws it; freed by the caller. */
char *top_scene_draw(struct top_scene *scene);

#endif
