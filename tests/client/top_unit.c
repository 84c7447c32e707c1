/* cairn top without a terminal or a server: what is drawn, what keys do, what comes from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "layout.h"
#include "sse.h"
#include "top_scene.h"

/* ---- whole screens ------------------------------------------------------------------------------- */

static const char project_screen[] =
	"cairn top  lab/digits  3 runs, 1 running\n"
	"─ Runs ─────────────────────────────────────────────────────────────────────────\n"
	" RUN                                    STATE           STEP    TOOK        loss\n"
	" third try night-3                      running         1200   1h06m        0.25\n"
	" night-2                                finished        5000   1h02m       0.125\n"
	" first try night-1                      crashed                  59s\n"
	"─ Metrics ─────────────────────────────────────────────────────────── 1-2 of 3 ─\n"
	" train/loss                      0.1835  accuracy                          0.99\n"
	"     2│⢱                                0.99│                           ⢀⣀⡤⠤⠖⠒⠉\n"
	"      │ ⢣                                   │                    ⢀⣀⡠⠤⠒⠚⠉⠁\n"
	"      │  ⠓⢄⡀                                │             ⢀⣀⡤⠤⠒⠚⠉⠁\n"
	"      │    ⠉⠒⠤⢄⣀⡀                           │      ⢀⣀⡤⠤⠒⠊⠉⠁\n"
	"0.1835│         ⠉⠉⠉⠓⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤⠤⢄⣀⣀⣀⣀⣀⣀⣀    0│⣀⠤⠴⠒⠚⠉⠁\n"
	"       0                           1188      0                             1188\n"
	"─ Devices ──────────────────────────────────────────────────────────────────────\n"
	" node7 cpu      ████▎░░░░░░░░░░░░ 25% mem ████████▌░░░░░░░░ 50%\n"
	" node7 gpu 0    ██████████▎░░░░░░ 60% mem ████████▌░░░░░░░░ 50%  61°C 310/700 W\n"
	" node7 gpu 1    ████████████████▏ 95% mem ████████▌░░░░░░░░ 50%  62°C 310 W\n"
	"─ Console ────────────────────────────────────────────────────────── following ─\n"
	"rank0 epoch 16\n"
	"rank1 epoch 17\n"
	"rank0 epoch 18\n"
	"rank1 epoch 19\n"
	"q quit  ? help  Tab pane  / filter  Enter zoom                              live\n";

static const char run_screen[] =
	"cairn top  lab/digits  third try  running  1h06m  step 1200  1200 rows\n"
	"─ Metrics ─────────────────────────────────────────────────────────── 1-2 of 3 ─\n"
	" train/loss                      0.1835  accuracy                          0.99\n"
	"     2│⢣                                0.99│                             ⢀⡠⠤⠒⠋\n"
	"      │⠘⡄                                   │                        ⢀⣠⠴⠒⠉⠁\n"
	"      │ ⠸⡀                                  │                   ⢀⣠⠤⠒⠉⠁\n"
	"      │  ⠑⡄                                 │              ⢀⡠⠤⠒⠊⠁\n"
	"      │   ⠈⠓⢄⡀                              │         ⢀⣀⠤⠒⠋⠁\n"
	"      │      ⠈⠑⠲⠤⣄⣀⡀                        │    ⢀⣀⠤⠖⠋⠁\n"
	"0.1835│            ⠉⠉⠉⠒⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤⢄⣀⣀⣀⣀⣀    0│⣠⠤⠒⠊⠁\n"
	"       0                           1188      0                             1188\n"
	"─ Devices ──────────────────────────────────────────────────────────────────────\n"
	" node7 cpu      ████▎░░░░░░░░░░░░ 25% mem ████████▌░░░░░░░░ 50%\n"
	" node7 gpu 0    ██████████▎░░░░░░ 60% mem ████████▌░░░░░░░░ 50%  61°C 310/700 W\n"
	" node7 gpu 1    ████████████████▏ 95% mem ████████▌░░░░░░░░ 50%  62°C 310 W\n"
	"─ Writers ──────────────────────────────────────────────────────────────────────\n"
	" rank0               alive 2s ago         primary  1200 rows    node7\n"
	" rank1               lost 6m40s ago       worker   0 rows       17 dropped node8\n"
	"─ Console ────────────────────────────────────────────────────────── following ─\n"
	"rank0 epoch 16\n"
	"rank1 epoch 17\n"
	"rank0 epoch 18\n"
	"rank1 epoch 19\n"
	"q quit  ? help  Tab pane  / filter  Enter zoom                              live\n";

static const char ascii_runs_screen[] = "cairn top  lab/digits  3 runs, 1 running\n"
					"[Runs] Metr  Dev  Writ  Cons\n"
					" RUN                STATE           STEP\n"
					" third try night-3  running         1200\n"
					" night-2            finished        5000\n"
					" first try night-1  crashed\n"
					"\n"
					"\n"
					"\n"
					"\n"
					"\n"
					"q quit  ? help  Tab pane  / filter  Ent~\n";

static const char ascii_charts_screen[] = "cairn top  lab/digits  3 runs, 1 running\n"
					  " Runs [Metrics] Dev  Writ  Cons\n"
					  " train/loss                       0.1835\n"
					  "     2|:\n"
					  "      |'.\n"
					  "      | :.\n"
					  "      |  '.\n"
					  "      |   ''..\n"
					  "      |      '''....\n"
					  "0.1835|            ''''''''.............\n"
					  "       0                            1188\n"
					  "q quit  ? help  Tab pane  / filter  Ent~\n";

static const char ascii_console_screen[] = "cairn top  lab/digits  3 runs, 1 running\n"
					   " Runs  Metr  Dev  Writ [Console]\n"
					   "rank1 epoch 11\n"
					   "rank0 epoch 12\n"
					   "rank1 epoch 13\n"
					   "rank0 epoch 14\n"
					   "rank1 epoch 15\n"
					   "rank0 epoch 16\n"
					   "rank1 epoch 17\n"
					   "rank0 epoch 18\n"
					   "rank1 epoch 19\n"
					   "q quit  ? help  Tab pane  / filter  Ent~\n";

static const char wide_screen[] =
	"cairn top  lab/digits  3 runs, 1 running\n"
	"─ Runs ───────────────────────────────────────────────────────────────── ─ Devices ─────────────────────────────────────\n"
	" RUN                            STATE           STEP    TOOK        loss  node7 cpu       25% mem  50%\n"
	" third try night-3              running         1200   1h06m        0.25  node7 gpu 0     60% mem  50%  61°C 310/700 W\n"
	" night-2                        finished        5000   1h02m       0.125  node7 gpu 1     95% mem  50%  62°C 310 W\n"
	" first try night-1              crashed                  59s             ─ Writers ─────────────────────────────────────\n"
	"─ Metrics /acc ─────────────────────────────────────────────────────────  rank0          alive 2s ago\n"
	" accuracy                                                           0.99  rank1          lost 6m40s ago\n"
	"0.99│                                                             ⣀⡠⠤⠔⠊⠉ ─ Console ───────────────────────── following ─\n"
	"    │                                                     ⢀⣀⡠⠤⠔⠒⠉⠉       rank0 epoch 10\n"
	"    │                                               ⣀⣀⠤⠒⠒⠉⠁              rank1 epoch 11\n"
	"    │                                        ⣀⣀⠤⠔⠒⠊⠉                     rank0 epoch 12\n"
	"    │                                 ⢀⣀⡠⠤⠒⠒⠉                            rank1 epoch 13\n"
	"    │                          ⢀⣀⠤⠤⠒⠊⠉⠁                                  rank0 epoch 14\n"
	"    │                    ⣀⡠⠤⠔⠊⠉⠁                                         rank1 epoch 15\n"
	"    │             ⢀⡠⠤⠔⠒⠉⠉                                                rank0 epoch 16\n"
	"    │      ⣀⣀⠤⠒⠒⠉⠉⠁                                                      rank1 epoch 17\n"
	"   0│⣀⠤⠔⠒⠊⠉                                                              rank0 epoch 18\n"
	"     0                                                              1188 rank1 epoch 19\n"
	"q quit  ? help  Tab pane  / filter  Enter zoom                                                                      live\n";

static void screens_are_as_expected(void **state)
{
	static const struct {
		enum model_kind kind;
		int width, height;
		bool is_utf8;
		const char *keys, *expected;
	} screens[] = {
		{ MODEL_PROJECT, 80, 24, true, "", project_screen },
		{ MODEL_RUN, 80, 24, true, "", run_screen },
		{ MODEL_PROJECT, 40, 12, false, "", ascii_runs_screen },
		{ MODEL_PROJECT, 40, 12, false, "2", ascii_charts_screen },
		{ MODEL_PROJECT, 40, 12, false, "5", ascii_console_screen },
		{ MODEL_PROJECT, 120, 20, true, "\t/acc\n", wide_screen },
	};

	(void)state;
	for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++) {
		struct top_scene scene;

		top_scene_init(&scene, screens[i].kind, screens[i].width, screens[i].height);
		scene.cells.is_utf8 = screens[i].is_utf8;
		top_scene_keys(&scene, screens[i].keys);
		top_scene_check(&scene, screens[i].expected);
		top_scene_deinit(&scene);
	}
}

/* Lines of a drawn screen are never wider than it. */
static void check_width(const struct top_scene *scene, const char *text)
{
	for (int rows = 0; *text; rows++) {
		const char *end = strchr(text, '\n');
		char line[8192];

		assert_non_null(end);
		assert_true(rows < scene->cells.height);
		snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
		assert_true(cells_columns(&scene->cells, line) <= scene->cells.width);
		text = end + 1;
	}
}

static void every_size_is_drawn(void **state)
{
	static const char *const keys[] = {
		"", "2", "3", "4", "5", "?", "2z+++y", "2---", "/x", "s"
	};

	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		struct top_scene scene;

		top_scene_init(&scene, MODEL_PROJECT, 80, 24);
		top_scene_keys(&scene, keys[i]);
		for (int width = 1; width <= 160; width += width < 60 ? 1 : 7) {
			for (int height = 1; height <= 40; height += height < 24 ? 1 : 5) {
				char *text;

				assert_true(cells_resize(&scene.cells, width, height));
				text = top_scene_draw(&scene);
				check_width(&scene, text);
				free(text);
			}
		}
		top_scene_deinit(&scene);
	}
}

static void nothing_is_there_yet(void **state)
{
	struct model model = { .kind = MODEL_PROJECT };
	struct view view = { 0 };
	struct cells cells = { .is_utf8 = true };
	char *text;

	(void)state;
	assert_true(cells_resize(&cells, 60, 20));
	draw_screen(&cells, &view, &model);
	model_take_runs(&model, NULL, 0);
	for (const char *key = "\t\tjkhl \n/x\n5G1"; *key; key++)
		view_key(&view, &model, (unsigned char)*key);
	draw_screen(&cells, &view, &model);
	text = cells_dump(&cells);
	assert_non_null(strstr(text, "0 runs"));
	free(text);
	cells_deinit(&cells);
	view_deinit(&view);
	model_deinit(&model);
}

/* ---- what anybody may have sent --------------------------------------------------------------------- */

static bool has_control(const struct cells *cells)
{
	for (int i = 0; i < cells->width * cells->height; i++) {
		uint32_t code = cells->at[i].code;

		if ((code && code < 0x20) || (code >= 0x7f && code < 0xa0) || code == 0x202e ||
		    code == 0x2066 || code == 0x200f || code == 0xfeff || code > 0x10ffff)
			return true;
	}
	return false;
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = strdup(with);
	assert_non_null(*text);
}

static void texts_do_not_steer_the_terminal(void **state)
{
	static const char *const texts[] = {
		"\033[2J\033[Hgone",
		"\033]0;title\a",
		"\033]52;c;ZXZpbA==\033\\",
		"\033P1$r0m\033\\",
		"a\rb\nc\bd\te\x7f",
		"\302\23331m",
		"\342\200\256olleh",
		"\xff\xfe\xc0\x80\xed\xa0\x80",
		"\033",
		"\033[",
		"\033]8;;http://x",
		"\xf4\x90\x80\x80",
		"\xe2\x81\xa6x\xe2\x80\x8f",
		"\xef\xbb\xbf",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		for (int pane = 0; pane < PANES; pane++) {
			struct top_scene scene;

			top_scene_init(&scene, MODEL_PROJECT, 130, 40);
			replace(&scene.model.title, texts[i]);
			replace(&scene.model.columns[0], texts[i]);
			replace(&scene.model.runs[0].name, texts[i]);
			replace(&scene.model.runs[1].state, texts[i]);
			replace(&scene.model.metrics[0].key, texts[i]);
			snprintf(scene.model.metrics[1].value, MODEL_VALUE_SIZE, "%s", texts[i]);
			replace(&scene.model.devices[0].host, texts[i]);
			replace(&scene.model.writers[0].label, texts[i]);
			replace(&scene.model.writers[1].host, texts[i]);
			replace(&scene.model.lines[19].text, texts[i]);
			replace(&scene.model.lines[18].label, texts[i]);
			snprintf(scene.model.notice, sizeof scene.model.notice, "%s", texts[i]);
			scene.model.link = pane % 2 ? LINK_LOST : LINK_LIVE;
			scene.view.focus = (enum pane)pane;
			free(top_scene_draw(&scene));
			assert_false(has_control(&scene.cells));
			top_scene_deinit(&scene);
		}
	}
}

static void texts_are_cut_by_columns(void **state)
{
	static const struct {
		const char *text;
		int width, used;
		const char *expected;
	} rows[] = {
		{ "short", 8, 5, "short\n" },
		{ "exactly8", 8, 8, "exactly8\n" },
		{ "too long by far", 8, 8, "too lon…\n" },
		{ "日本語", 6, 6, "日本語\n" },
		{ "日本語", 5, 5, "日本…\n" },
		{ "日本語", 4, 3, "日…\n" },
		{ "e\xcc\x81t\xc3\xa9", 8, 3, "eté\n" },
		{ "x", 0, 0, "\n" },
		{ "ab", 1, 1, "…\n" },
		{ "\033[31mred\033[0m", 8, 3, "red\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct cells cells = { .is_utf8 = true };
		char *text;

		assert_true(cells_resize(&cells, 20, 1));
		assert_int_equal(cells_text(&cells, 0, 0, rows[i].width, rows[i].text, STYLE_PLAIN),
				 rows[i].used);
		text = cells_dump(&cells);
		assert_string_equal(text, rows[i].expected);
		free(text);
		cells_deinit(&cells);
	}
}

static void odd_numbers_are_drawn(void **state)
{
	static const double numbers[] = { 0,      NAN,     INFINITY, -INFINITY, 1e308, -1e308,
					  5e-324, -1e-300, 1e15,     12345.678, -0.5 };
	static struct chart_point points[121];

	(void)state;
	for (int mask = 0; mask < 4; mask++) {
		size_t count = 0;
		struct cells cells = { .is_utf8 = mask & 1 };
		struct chart chart = { .points = points, .is_time = mask & 1, .is_log = mask & 2 };
		char *text;

		for (size_t i = 0; i < 11; i++) {
			for (size_t k = 0; k < 11; k++)
				points[count++] = (struct chart_point){ numbers[i], numbers[k],
									numbers[(i + k) % 11],
									numbers[i] };
		}
		assert_true(cells_resize(&cells, 40, 10));
		for (chart.count = 0; chart.count <= count; chart.count++)
			chart_draw(&cells, (struct box){ 0, 0, 40, 10 }, &chart);
		text = cells_dump(&cells);
		assert_non_null(text);
		free(text);
		cells_deinit(&cells);
	}
}

static void numbers_are_short(void **state)
{
	static const struct {
		double number;
		const char *text;
	} rows[] = {
		{ 0, "0" },           { 0.25, "0.25" },    { 1.0 / 3, "0.3333" },
		{ 12345, "12345" },   { 99999, "99999" },  { 100000, "100k" },
		{ 4567890, "4.57M" }, { -2.5e9, "-2.5G" }, { 0.00012, "1.20e-04" },
		{ 1e21, "1e+21" },    { NAN, "nan" },      { -INFINITY, "-inf" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char text[CHART_NUMBER_SIZE];

		chart_number(rows[i].number, text);
		assert_string_equal(text, rows[i].text);
	}
}

/* ---- keys -------------------------------------------------------------------------------------------- */

static bool shows(struct top_scene *scene, const char *words)
{
	char *text = top_scene_draw(scene);
	bool found = strstr(text, words) != NULL;

	free(text);
	return found;
}

static void keys_choose_what_is_wanted(void **state)
{
	struct top_scene scene;

	(void)state;
	top_scene_init(&scene, MODEL_PROJECT, 80, 24);
	assert_true(shows(&scene, "third try"));
	assert_string_equal(scene.view.wants.run, "night-3");
	assert_int_equal(scene.view.wants.key_count, 2);
	assert_string_equal(scene.view.wants.keys[0], "train/loss");
	assert_string_equal(scene.view.wants.columns[1], "accuracy");
	top_scene_keys(&scene, "j");
	assert_true(shows(&scene, "night-2"));
	assert_string_equal(scene.view.wants.run, "night-2");
	top_scene_keys(&scene, "jjjjk");
	shows(&scene, "");
	assert_string_equal(scene.view.wants.run, "night-2");
	top_scene_keys(&scene, "\tll x"); /* the third chart is pinned, and so the first one */
	shows(&scene, "");
	assert_string_equal(scene.view.wants.keys[0], "lr");
	assert_string_equal(scene.view.wants.columns[0], "lr");
	assert_true(scene.view.wants.is_relative);
	assert_true(shows(&scene, "19m48s")); /* the axis is time */
	top_scene_keys(&scene, "g s");
	shows(&scene, "");
	assert_string_equal(scene.view.wants.keys[0], "train/loss");
	assert_true(scene.view.wants.is_system);
	top_scene_keys(&scene, "q");
	assert_true(scene.view.is_done);
	top_scene_deinit(&scene);
}

/* A run keeps its selection when the list changes, and another one is selected when it is gone. */
static void the_selection_follows_its_run(void **state)
{
	struct top_scene scene;
	struct model_run run;

	(void)state;
	top_scene_init(&scene, MODEL_PROJECT, 80, 24);
	top_scene_keys(&scene, "jj");
	run = scene.model.runs[0];
	scene.model.runs[0] = scene.model.runs[2];
	scene.model.runs[2] = run;
	shows(&scene, "");
	assert_int_equal(scene.view.panes[PANE_RUNS].selected, 0);
	assert_string_equal(scene.view.wants.run, "night-1");
	replace(&scene.model.runs[0].id, "night-0");
	shows(&scene, "");
	assert_string_equal(scene.view.wants.run, "night-0");
	top_scene_deinit(&scene);
}

static void panes_are_filtered_and_zoomed(void **state)
{
	struct top_scene scene;

	(void)state;
	top_scene_init(&scene, MODEL_PROJECT, 80, 24);
	top_scene_keys(&scene, "5/EPOCH 1\n");
	assert_true(shows(&scene, "Console /EPOCH 1"));
	assert_int_equal(scene.view.panes[PANE_CONSOLE].count, 11);
	top_scene_keys(&scene, "z");
	assert_true(shows(&scene, "[Console /EPOCH 1]") && !shows(&scene, "third try "));
	top_scene_keys(&scene, "\033");
	assert_true(shows(&scene, "third try"));
	top_scene_keys(&scene, "\033");
	assert_int_equal((shows(&scene, ""), scene.view.panes[PANE_CONSOLE].count), 20);
	top_scene_keys(&scene, "/\xc3\xa9"); /* keys are characters, not bytes */
	view_key(&scene.view, &scene.model, 0x65e5);
	assert_string_equal(scene.view.panes[PANE_CONSOLE].filter, "\xc3\x83\xc2\xa9\xe6\x97\xa5");
	view_key(&scene.view, &scene.model, VIEW_KEY_BACKSPACE);
	assert_string_equal(scene.view.panes[PANE_CONSOLE].filter, "\xc3\x83\xc2\xa9");
	for (int i = 0; i < 2 * VIEW_FILTER_SIZE; i++)
		view_key(&scene.view, &scene.model, 'x');
	assert_int_equal(strlen(scene.view.panes[PANE_CONSOLE].filter), VIEW_FILTER_SIZE - 1);
	top_scene_keys(&scene, "\0331\n");
	assert_true(shows(&scene, "[Metrics]"));
	assert_int_equal(scene.view.wants.key_count, 3);
	top_scene_keys(&scene, "\n"); /* the chart alone */
	assert_true(shows(&scene, "[Metrics]"));
	assert_int_equal(scene.view.wants.key_count, 1);
	top_scene_keys(&scene, "l");
	shows(&scene, "");
	assert_string_equal(scene.view.wants.keys[0], "accuracy");
	top_scene_keys(&scene, "\033");
	shows(&scene, "");
	assert_int_equal(scene.view.wants.key_count, 3);
	top_scene_keys(&scene, "\033");
	assert_int_equal(scene.view.focus, PANE_RUNS);
	top_scene_deinit(&scene);
}

static void the_console_is_followed_until_it_is_scrolled(void **state)
{
	struct top_scene scene;

	(void)state;
	top_scene_init(&scene, MODEL_PROJECT, 80, 24);
	top_scene_keys(&scene, "5");
	assert_true(shows(&scene, "following") && shows(&scene, "epoch 19"));
	top_scene_keys(&scene, "kk");
	assert_true(shows(&scene, "2 more below") && !shows(&scene, "epoch 18"));
	top_scene_add_lines(&scene.model, 4); /* further ones come: it stays where it is */
	assert_true(shows(&scene, "6 more below") && shows(&scene, "epoch 17\n"));
	assert_false(shows(&scene, "epoch 18"));
	top_scene_keys(&scene, "j");
	assert_true(shows(&scene, "5 more below") && shows(&scene, "epoch 18\n"));
	top_scene_add_lines(&scene.model, 100); /* the line is gone */
	assert_true(shows(&scene, "5 more below"));
	top_scene_add_lines(&scene.model, 0);
	top_scene_keys(&scene, "g");
	assert_true(shows(&scene, "epoch 0\n"));
	top_scene_keys(&scene, "G");
	assert_true(shows(&scene, "following") && shows(&scene, "epoch 19"));
	top_scene_deinit(&scene);
}

static void the_mouse_chooses(void **state)
{
	struct top_scene scene;
	struct box charts, console;

	(void)state;
	top_scene_init(&scene, MODEL_PROJECT, 80, 24);
	shows(&scene, "");
	view_mouse(&scene.view, &scene.model, 5, 4,
		   VIEW_CLICK); /* below the title and the names of columns */
	shows(&scene, "");
	assert_string_equal(scene.view.wants.run, "night-2");
	charts = scene.view.boxes[PANE_CHARTS];
	view_mouse(&scene.view, &scene.model, charts.x + 60, charts.y + 3, VIEW_CLICK);
	assert_int_equal(scene.view.focus, PANE_CHARTS);
	assert_int_equal(scene.view.panes[PANE_CHARTS].selected, 1);
	console = scene.view.boxes[PANE_CONSOLE];
	view_mouse(&scene.view, &scene.model, console.x, console.y + 1, VIEW_WHEEL_UP);
	assert_true(shows(&scene, "1 more below"));
	view_mouse(&scene.view, &scene.model, console.x, console.y + 1, VIEW_CLICK_TWICE);
	assert_true(shows(&scene, "[Console]"));
	view_mouse(&scene.view, &scene.model, 500, 500, VIEW_CLICK);
	top_scene_deinit(&scene);
}

static void a_server_that_is_away_is_said(void **state)
{
	struct top_scene scene;

	(void)state;
	top_scene_init(&scene, MODEL_PROJECT, 80, 24);
	scene.model.link = LINK_LOST;
	scene.model.retry_s = TOP_SCENE_NOW_S + 3;
	snprintf(scene.model.notice, sizeof scene.model.notice, "connection refused");
	assert_true(shows(&scene, "\nnot connected, next try in 3 s: connection refused\n"));
	assert_true(shows(&scene, "third try"));
	scene.model.retry_s = 0;
	assert_true(shows(&scene, "\nnot connected, trying again: connection refused\n"));
	top_scene_deinit(&scene);
}

static void an_alert_is_shown_for_a_while(void **state)
{
	struct top_scene scene;

	(void)state;
	top_scene_init(&scene, MODEL_RUN, 80, 24);
	snprintf(scene.model.alert, sizeof scene.model.alert, "loss is high");
	scene.model.alert_s = TOP_SCENE_NOW_S - 60;
	assert_true(shows(&scene, "\nalert: loss is high"));
	scene.model.alert_s -= 1;
	assert_true(!shows(&scene, "alert:") && shows(&scene, "\nq quit"));
	scene.model.alert_s += 1;
	model_show(&scene.model, "night-1", false);
	assert_false(shows(&scene, "alert:"));
	top_scene_deinit(&scene);
}

/* ---- the model ---------------------------------------------------------------------------------------- */

static void metrics_keep_their_points(void **state)
{
	struct top_scene scene;
	struct model_metric *metrics = calloc(2, sizeof *metrics);

	(void)state;
	top_scene_init(&scene, MODEL_PROJECT, 80, 24);
	assert_non_null(metrics);
	metrics[0].key = strdup("lr");
	metrics[1].key = strdup("new");
	model_take_metrics(&scene.model, metrics, 2);
	assert_int_equal(scene.model.metrics[0].point_count, 100);
	assert_null(scene.model.metrics[1].points);
	model_take_points(&scene.model, "gone", calloc(1, sizeof(struct chart_point)), 1);
	model_show(&scene.model, "night-1", false);
	assert_int_equal(
		scene.model.metric_count + scene.model.device_count + scene.model.line_count, 0);
	assert_false(scene.model.has_metrics);
	top_scene_deinit(&scene);
}

static void devices_are_made_of_names(void **state)
{
	static const struct {
		const char *host, *key;
		double value;
	} values[] = {
		{ "b", "gpu.10.gpu", 50 },
		{ "b", "gpu.2.gpu", 25 },
		{ "b", "gpu.2.temp", 61 },
		{ "a", "cpu", 12.5 },
		{ "a", "cpu", 50 },
		{ "a", "cpu", 25 },
		{ "b", "gpu.2.powerWatts", 300 },
		{ "b", "gpu.2.enforcedPowerLimitWatts", 700 },
		{ "b", "gpu.process.2.gpu", 99 },
		{ "b", "gpu.2.smClock", 99 },
		{ "b", "gpu.x.gpu", 99 },
		{ "b", "gpu..gpu", 99 },
		{ "b", "gpu.99999.gpu", 99 },
		{ "b", "gpu.2", 99 },
		{ "b", "gpu.3.gpu", NAN },
		{ "a", "", 99 },
		{ "a", "cpu.1.cpu_percent", 99 },
		{ "b", "ipu.0.ipu utilisation (%)", 75 },
		{ "b", "tpu.1.dutyCycle", 10 },
	};
	struct devices devices = { 0 };
	struct model model = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		devices_add(&devices, values[i].host, values[i].key, values[i].value);
	devices_take(&devices, &model);
	assert_int_equal(model.device_count, 5);
	assert_string_equal(model.devices[0].name, "cpu");
	assert_true(model.devices[0].busy == 0.5);
	assert_string_equal(model.devices[1].name, "gpu 2");
	assert_true(model.devices[1].power_w == 300 && model.devices[1].power_limit_w == 700);
	assert_true(isnan(model.devices[1].memory) && model.devices[1].temperature_c == 61);
	assert_string_equal(model.devices[2].name, "gpu 10");
	assert_string_equal(model.devices[3].name, "ipu 0");
	assert_string_equal(model.devices[4].name, "tpu 1");
	for (int i = 0; i < 2 * MODEL_HISTORY; i++) {
		devices_add(&devices, "a", "cpu", i / 2.4);
		devices_take(&devices, &model);
	}
	assert_int_equal(model.devices[0].history_count, MODEL_HISTORY);
	assert_true(fabs(model.devices[0].history[MODEL_HISTORY - 1] - model.devices[0].busy) <
		    1e-6);
	assert_true(model.devices[0].history[0] > 0.4);
	model_deinit(&model);
}

static void devices_have_a_limit(void **state)
{
	struct devices devices = { 0 };
	struct model model = { 0 };

	(void)state;
	for (int i = 0; i < MODEL_DEVICES_MAX + 10; i++) {
		char host[16];

		snprintf(host, sizeof host, "node%d", i);
		devices_add(&devices, host, "cpu", 1);
		assert_int_equal(devices.count, i < MODEL_DEVICES_MAX ? i + 1 : MODEL_DEVICES_MAX);
	}
	devices_take(&devices, &model);
	model_deinit(&model);
}

/* ---- live events --------------------------------------------------------------------------------------- */

static void note_event(void *context, const char *name, const char *data, size_t length)
{
	struct text *all = context;

	assert_int_equal(strlen(data), length);
	text_format(all, "%s=%.*s;", name, (int)(length < 40 ? length : 40), data);
}

static void events_are_read_from_pieces(void **state)
{
	static const char stream[] =
		"event: open\ndata: {\"now\":1}\nid: 4\n\n: a comment\n\nevent:rows\r\n"
		"data:{}\r\n\r\nevent: beat\ndata: {}\n\nevent: half\ndata: {";

	(void)state;
	for (size_t piece = 1; piece <= sizeof stream; piece++) {
		struct text all = { 0 };
		struct sse sse = { .on_event = note_event, .context = &all };

		for (size_t at = 0; at < sizeof stream - 1; at += piece) {
			size_t left = sizeof stream - 1 - at;

			sse_take(&sse, stream + at, left < piece ? left : piece);
		}
		assert_string_equal(text_c_string(&all), "open={\"now\":1};rows={};beat={};");
		sse_reset(&sse);
		sse_take(&sse, "\n\nevent: new\n\n", 14);
		assert_string_equal(text_c_string(&all), "open={\"now\":1};rows={};beat={};new=;");
		text_deinit(&all);
		sse_deinit(&sse);
	}
}

/* The event comes, so that the parts are read; its data do not. */
static void an_event_of_any_length_is_read(void **state)
{
	static const size_t lengths[] = { SSE_DATA_MAX - 1, SSE_DATA_MAX, SSE_DATA_MAX + 1,
					  3 * SSE_DATA_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		struct text all = { 0 };
		struct sse sse = { .on_event = note_event, .context = &all };
		char *data = malloc(lengths[i]);

		assert_non_null(data);
		memset(data, 'x', lengths[i]);
		sse_take(&sse, "event: a\ndata: ", 15);
		sse_take(&sse, data, lengths[i]);
		assert_true(sse.line.capacity <= 2 * SSE_DATA_MAX + 65536);
		sse_take(&sse, "\n\nevent: b\ndata: y\n\n", 20);
		assert_string_equal(text_c_string(&all),
				    lengths[i] <= SSE_DATA_MAX
					    ? "a=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx;b=y;"
					    : "a=;b=y;");
		free(data);
		text_deinit(&all);
		sse_deinit(&sse);
	}
}

static void wants_are_compared_and_bounded(void **state)
{
	struct wants a = { .run = "r", .points = 10 }, b = { 0 };
	char key[16];

	(void)state;
	for (int i = 0; i < WANTS_KEYS_MAX + 5; i++) {
		snprintf(key, sizeof key, "k%d", i);
		wants_add_key(&a, key);
		wants_add_column(&a, key);
	}
	assert_int_equal(a.key_count, WANTS_KEYS_MAX);
	assert_int_equal(a.column_count, WANTS_COLUMNS_MAX);
	assert_true(wants_copy(&b, &a));
	assert_true(wants_same_charts(&a, &b) && wants_same_columns(&a, &b));
	free(b.keys[5]);
	b.keys[5] = strdup("other");
	assert_false(wants_same_charts(&a, &b));
	wants_clear(&b);
	assert_false(wants_same_columns(&a, &b));
	wants_deinit(&a);
	wants_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens_are_as_expected),
		cmocka_unit_test(every_size_is_drawn),
		cmocka_unit_test(nothing_is_there_yet),
		cmocka_unit_test(texts_do_not_steer_the_terminal),
		cmocka_unit_test(texts_are_cut_by_columns),
		cmocka_unit_test(odd_numbers_are_drawn),
		cmocka_unit_test(numbers_are_short),
		cmocka_unit_test(keys_choose_what_is_wanted),
		cmocka_unit_test(the_selection_follows_its_run),
		cmocka_unit_test(panes_are_filtered_and_zoomed),
		cmocka_unit_test(the_console_is_followed_until_it_is_scrolled),
		cmocka_unit_test(the_mouse_chooses),
		cmocka_unit_test(a_server_that_is_away_is_said),
		cmocka_unit_test(an_alert_is_shown_for_a_while),
		cmocka_unit_test(metrics_keep_their_points),
		cmocka_unit_test(devices_are_made_of_names),
		cmocka_unit_test(devices_have_a_limit),
		cmocka_unit_test(events_are_read_from_pieces),
		cmocka_unit_test(an_event_of_any_length_is_read),
		cmocka_unit_test(wants_are_compared_and_bounded),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
