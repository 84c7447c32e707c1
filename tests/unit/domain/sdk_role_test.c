/* Role and label of a process of the SDK, by what it lets us know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "arena.h"
#include "name.h"
#include "sdk_role.h"

#define CLIENT "k3v9x0c2m4b6n8q1w5e7r0t2y4u6i8o0"

static void its_own_environment_tells_a_primary(void **state)
{
	static const struct {
		const char *config;
		bool primary;
	} cases[] = {
		{ "{}", false },
		{ "{\"_wandb\":{}}", false },
		{ "{\"_wandb\":{\"e\":{}}}", false },
		{ "{\"_wandb\":{\"e\":[]}}", false },
		{ "{\"_wandb\":[{\"e\":{\"" CLIENT "\":{}}}]}", false },
		{ "{\"_wandb\":{\"e\":{\"" CLIENT "\":{\"os\":\"Linux\"}}}}", true },
		{ "{\"_wandb\":{\"e\":{\"another\":{\"os\":\"Linux\"}}}}", false },
		{ "{\"_wandb\":{\"e\":{\"another\":{},\"" CLIENT "\":{}}}}", true },
		{ "{\"e\":{\"" CLIENT "\":{}}}", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		const struct json_doc *config;

		assert_null(json_doc_parse(a, str_of(cases[i].config), &config));
		if (sdk_role_config_is_of_primary(config, STR(CLIENT)) != cases[i].primary)
			fail_msg("case %zu", i);
		assert_false(sdk_role_config_is_of_primary(config, STR("")));
		arena_free(a);
	}
	assert_false(sdk_role_config_is_of_primary(NULL, STR(CLIENT)));
}

static void some_files_tell_a_primary(void **state)
{
	static const struct {
		const char *name;
		bool primary;
	} cases[] = {
		{ "config.yaml", true },        { "wandb-summary.json", true },
		{ "requirements.txt", true },   { "wandb-metadata.json", true },
		{ "output.log", false },        { "output_rank1.log", false },
		{ "media/config.yaml", false }, { "config.yaml.bak", false },
		{ "Config.yaml", false },       { "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (sdk_role_file_is_of_primary(str_of(cases[i].name)) != cases[i].primary)
			fail_msg("%s", cases[i].name);
	}
}

static void a_sync_tells_no_script(void **state)
{
	static const struct {
		const char *program;
		bool may_sync;
	} cases[] = {
		{ "", true },
		{ "wandb", true },
		{ "/opt/sdk/0.31.0/bin/wandb", true },
		{ "C:\\Python\\Scripts\\wandb.exe", true },
		{ "C:\\Python\\Scripts\\wandb.exe\\__main__.py", true },
		{ "-m wandb.__main__", true },
		{ "__main__.py", false },
		{ "/opt/lib/python3.11/site-packages/wandb/__main__.py", true },
		{ "train.py", false },
		{ "/home/ann/wandb/train.py", false },
		{ "/home/ann/wandb.py", false },
		{ "/home/ann/mywandb", false },
		{ "/home/ann/__main__.py", false },
		{ "-m train", false },
		{ "-m wandb.train", false },
		{ "<python with no main file>", false },
		{ "andb", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (sdk_role_program_may_sync(str_of(cases[i].program)) != cases[i].may_sync)
			fail_msg("%s", cases[i].program);
	}
}

static void a_label_stands_behind_an_events_key(void **state)
{
	static const struct {
		const char *sent;
		const char *key;
		const char *label;
	} cases[] = {
		{ "system.cpu", "system.cpu", "" },
		{ "system.cpu/l:rank0", "system.cpu", "rank0" },
		{ "system.gpu.0.gpu/l:node 1/gpu", "system.gpu.0.gpu", "node 1/gpu" },
		{ "system.cpu/l:a/l:b", "system.cpu", "a/l:b" },
		{ "system.cpu/l:", "system.cpu/l:", "" },
		{ "/l:rank0", "/l:rank0", "" },
		{ "system.disk./.usageGB", "system.disk./.usageGB", "" },
		{ "_runtime", "_runtime", "" },
		{ "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str label;
		struct str key = sdk_role_event_key(str_of(cases[i].sent), &label);

		if (!str_is(key, cases[i].key) || !str_is(label, cases[i].label))
			fail_msg("%s: %.*s, %.*s", cases[i].sent, STR_ARG(key), STR_ARG(label));
	}
}

static void a_label_stands_in_a_files_name(void **state)
{
	static const struct {
		const char *name;
		const char *label;
	} cases[] = {
		{ "output.log", "" },
		{ "output_.log", "" },
		{ "output_a.log", "a" },
		{ "output_rank_0.log", "rank_0" },
		{ "output_a.log.log", "a.log" },
		{ "output_a.txt", "" },
		{ "x/output_a.log", "" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!str_is(sdk_role_file_label(str_of(cases[i].name)), cases[i].label))
			fail_msg("%s", cases[i].name);
	}
}

#define SIXTEEN "0123456789abcdef"
#define LONGEST SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN

static void a_label_is_made_of_anything(void **state)
{
	static const struct {
		struct str told;
		const char *label;
	} cases[] = {
		{ STR(""), "" },
		{ STR("rank0"), "rank0" },
		{ STR("node 1/gpu\t2"), "node 1_gpu_2" },
		{ STR("\xc3\xbc"), "\xc3\xbc" },
		{ STR("a\0b\xff"), "a_b_" },
		{ STR(LONGEST), LONGEST },
		{ STR(LONGEST "x"), LONGEST },
		{ STR("x" LONGEST),
		  "x" SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN "0123456789abcde" },
		/* not within a character */
		{ STR(SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN
		      "0123456789abcde\xc3\xbc"),
		  SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN "0123456789abcde" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct str label = sdk_label_of(a, cases[i].told);

		if (!str_is(label, cases[i].label))
			fail_msg("case %zu: %.*s", i, STR_ARG(label));
		assert_true(!label.len || name_is_valid(NAME_LABEL, label));
		arena_free(a);
	}
}

static void a_label_is_made_of_host_and_client(void **state)
{
	static const struct {
		const char *host;
		const char *client;
		const char *label;
	} cases[] = {
		{ "node7", CLIENT, "node7-y4u6i8o0" },
		{ "", CLIENT, "writer-y4u6i8o0" },
		{ "node7", "sdk", "node7-sdk" },
		{ "a/b", CLIENT, "a_b-y4u6i8o0" },
		{ LONGEST, CLIENT,
		  SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN "0123456-y4u6i8o0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct str label =
			sdk_label_made(a, str_of(cases[i].host), str_of(cases[i].client));

		if (!str_is(label, cases[i].label))
			fail_msg("case %zu: %.*s", i, STR_ARG(label));
		arena_free(a);
	}
}

static void a_label_is_learnt_once(void **state)
{
	static const struct {
		const char *label;
		const char *told;
		const char *learnt;
	} cases[] = {
		{ "made", "", "made" },
		{ "made", "rank0", "rank0" },
		{ "made", "a/b", "a_b" },
		{ "rank0", "rank0", "rank0" },
		{ "rank0", "rank1", "rank0" },
		{ "rank0", "", "rank0" },
		/* a file's name first, then a line; and the other way round */
		{ "node_0", "node:0", "node:0" },
		{ "node:0", "node_0", "node:0" },
		{ "node_0", "node-0", "node_0" },
		{ "node_0", "node:1", "node_0" },
		{ "node_0", "nodex0", "node_0" },
		{ "a_b_c", "a_b:c", "a_b:c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct str learnt = sdk_label_learn(a, str_of(cases[i].label), STR("made"),
						    str_of(cases[i].told));

		if (!str_is(learnt, cases[i].learnt))
			fail_msg("case %zu: %.*s", i, STR_ARG(learnt));
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_own_environment_tells_a_primary),
		cmocka_unit_test(some_files_tell_a_primary),
		cmocka_unit_test(a_sync_tells_no_script),
		cmocka_unit_test(a_label_stands_behind_an_events_key),
		cmocka_unit_test(a_label_stands_in_a_files_name),
		cmocka_unit_test(a_label_is_made_of_anything),
		cmocka_unit_test(a_label_is_made_of_host_and_client),
		cmocka_unit_test(a_label_is_learnt_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
