/* What cairn run shows of a command line to others, and what it keeps back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "masked.h"

/* An argument, and the one before it. */
struct argument {
	const char *before, *given, *shown; /* shown: NULL: as it is given */
};

static const struct argument arguments[] = {
	/* an option and what it takes */
	{ "--hf-token", "abc", "***" },
	{ "--hfToken", "abc", "***" },
	{ "--wandb-key", "abc", "***" },
	{ "--apiKey", "abc", "***" },
	{ "-token", "abc", "***" },
	{ "--pass", "abc", "***" },
	{ "--dbPass", "abc", "***" },
	{ "--db_pass", "abc", "***" },
	{ "--auth", "user:abc", "***" },
	{ "--password", "-S3cret", "***" },
	{ "--password", "--S3cret", "***" },
	{ "--password", "-", "***" },
	{ "--password", "--", NULL },
	{ "--eos-token", "</s>", "***" }, /* in vain */
	{ "--max-tokens", "512", NULL },
	{ "--tokenizer", "gpt2", NULL },
	{ "--key-dim", "64", NULL },
	{ "--sort-key", "loss", NULL },
	{ "--key", "loss", NULL },
	{ "--monkey", "x", NULL },
	{ "--bypass", "x", NULL },
	{ "--auth-free", "x", NULL },
	{ "--no-auth", "x", NULL },
	{ "--secretary", "x", NULL },
	{ "--env=HF_TOKEN", "x", NULL },
	{ "token", "x", NULL },
	{ "", "", NULL },
	{ "", "-", NULL },
	{ "", "--token", NULL },
	{ "--bearer", "abc", "***" },
	{ "--oauth2-bearer", "abc", "***" },
	{ "--cookie", "id=abc", "***" },
	{ "--cookie-jar", "jar", NULL },
	/* by the form of the value */
	{ "-p", "S3cret", "***" },
	{ "-p", "hunter2", "***" },
	{ "-p", "p@ss", "***" },
	{ "-p", "8080", NULL },
	{ "-p", "8080:80", NULL },
	{ "-p", "127.0.0.1:8080:80", NULL },
	{ "-p", "gpu", NULL },
	{ "-p", "no:warnings", NULL },
	{ "-p", "/data/Run1", NULL },
	{ "-p", "lr=0.1", NULL },
	{ "-p", "-x", NULL },
	{ "-c", "sshpass -p abc ssh h", "sshpass -p *** ssh h" },
	{ "-c", "docker login -u me -p abc h", "docker login -u me -p *** h" },
	{ "-c", "srun -p a100 python t.py", "srun -p a100 python t.py" },
	{ "-c", "psql -p 5432; x -p 'S3cret' y", "psql -p 5432; x -p '***' y" },
	{ "-u", "me:abc", "me:***" },
	{ "--user", "me@h:a:b c", "me@h:***" },
	{ "-u", "1000:1000", NULL },
	{ "-u", "me", NULL },
	{ "-u", "me:", NULL },
	{ "-u", "http://h:8080/a", NULL },
	{ "-u", "tests/t.py::x", NULL },
	{ "-c", "curl -u me:abc http://h", "curl -u me:*** http://h" },
	{ "x", "sk-proj-abcdefghijklmnop0123", "***" },
	{ "", "--x=sk-abcdefghijklmnop0123,1", "--x=***,1" },
	{ "x", "sk-learn-experiments-of-2026", NULL },
	{ "x", "ghp_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ", "***" },
	{ "x", "ghp_short", NULL },
	{ "x", "AKIAIOSFODNN7EXAMPLE", "***" },
	{ "x", "AKIAbout", NULL },
	{ "-c", "f AKIAIOSFODNN7EXAMPLE x", "f *** x" },
	{ "", "https://h/o?sv=1&sig=abc", "https://h/o?sv=1&sig=***" },
	{ "", "https://h/o?X-Amz-Signature=abc", "https://h/o?X-Amz-Signature=***" },
	{ "", "https://h/o?Expires=1&Signature=abc", "https://h/o?Expires=1&Signature=***" },
	{ "", "sig=0.05", NULL },
	{ "--signature", "abc", NULL },
	/* NAME=VALUE */
	{ "", "--password=a b", "--password=***" },
	{ "", "--password=\"a\"b", "--password=***" },
	{ "", "--password=", NULL },
	{ "", "--env=HF_TOKEN=abc", "--env=HF_TOKEN=***" },
	{ "", "--export=ALL,HF_TOKEN=abc", "--export=ALL,HF_TOKEN=***" },
	{ "-e", "API_KEY=a=b,c;d", "API_KEY=***" },
	{ "", "PGPASSWORD=abc", "PGPASSWORD=***" },
	{ "", "COHERE_KEY=abc", "COHERE_KEY=***" },
	{ "", "+trainer.logger.api_key=abc", "+trainer.logger.api_key=***" },
	{ "", "-DAPI_KEY=abc", "-DAPI_KEY=***" },
	{ "", "x-api-key:abc def", "x-api-key:***" },
	{ "", "http://h/p?a=1&token=abc", "http://h/p?a=1&token=***" },
	{ "", "//registry/:_authToken=abc", "//registry/:_authToken=***" },
	{ "", "https://h/token=abc", "https://h/token=***" },
	{ "", "host=h password=abc user=me", "host=h password=*** user=me" },
	{ "", "data.image_key=jpg", NULL },
	{ "", "MAX_TOKENS=512", NULL },
	{ "", "PWD=/home/x", NULL },
	{ "", "tests/test_token.py::test_case", NULL },
	{ "", "registry/token:latest", NULL },
	{ "", "monkey=a", NULL },
	/* headers and documents */
	{ "-H", "Authorization: Bearer abc", "Authorization: ***" },
	{ "-H", "Authorization: Digest u=\"a\", r=\"b\"", "Authorization: ***" },
	{ "-H", "X-Custom: Bearer abc def", "X-Custom: Bearer *** def" },
	{ "", "{\"api_key\": \"abc\"}", "{\"api_key\": \"***\"}" },
	{ "", "{\"api_key\":\"a b\\\"c\",\"lr\":1}", "{\"api_key\":\"***\",\"lr\":1}" },
	{ "", "{'api_key': 'abc', 'lr': 1}", "{'api_key': '***', 'lr': 1}" },
	{ "", "{\\\"api_key\\\": \\\"a b\\\"}", "{\\\"api_key\\\": \\\"***\\\"}" },
	{ "", "{\"Authorization\": \"Bearer abc\"}", "{\"Authorization\": \"***\"}" },
	{ "", "{\"token\": 123, \"lr\": 1}", "{\"token\": ***, \"lr\": 1}" },
	{ "", "{\"api_keys\": [\"a\", \"b\"], \"lr\": 1}", "{\"api_keys\": ***, \"lr\": 1}" },
	{ "", "{\"secret\": {\"value\": \"a\"}}", "{\"secret\": ***}" },
	{ "", "a: 1\ntoken: b c\nlr: 2", "a: 1\ntoken: ***\nlr: 2" },
	{ "", "{\"tokenizer\": \"gpt2\", \"max_tokens\": 5}", NULL },
	{ "", "[\"x\", \"--token\", \"abc\", \"--lr\"]",
	  "[\"x\", \"--token\", \"***\", \"--lr\"]" },
	{ "", "[\\\"--token\\\", \\\"a b\\\"]", "[\\\"--token\\\", \\\"***\\\"]" },
	/* texts of a shell, and others */
	{ "-c", "cd x && A=1 HF_TOKEN=abc python", "cd x && A=1 HF_TOKEN=*** python" },
	{ "-lc", "HF_TOKEN=abc python t.py", "HF_TOKEN=*** python t.py" },
	{ "-c", "HF_TOKEN='a b' python", "HF_TOKEN=*** python" },
	{ "-c", "HF_TOKEN=a\"b c\"d python", "HF_TOKEN=*** python" },
	{ "-c", "HF_TOKEN=a\\ b python", "HF_TOKEN=*** python" },
	{ "-c", "HF_TOKEN= python t.py", NULL },
	{ "-c", "export HF_TOKEN=abc; ls", "export HF_TOKEN=***; ls" },
	{ "-c", "python t.py --token abc", "python t.py --token ***" },
	{ "-c", "python t.py --token 'a b' x", "python t.py --token '***' x" },
	{ "-c", "sh -c \"t --token='a b' x\" y", "sh -c \"t --token=*** x\" y" },
	{ "-c", "t --token Bearer abc --lr 1", "t --token *** --lr 1" },
	{ "-c", "t --token -- abc", NULL },
	{ "-c", "t --max-tokens 5 --tokenizer x --key-dim 6 --monkey y --auth-free z", NULL },
	{ "-c", "curl -H \"Authorization: Bearer abc\" h", "curl -H \"Authorization: ***\" h" },
	{ "-c", "os.environ[\"HF_TOKEN\"] = \"abc\"; f()",
	  "os.environ[\"HF_TOKEN\"] = \"***\"; f()" },
	{ "-c", "login(token=\"abc\", lr=1)", "login(token=***, lr=1)" },
	{ "ssh", "HF_TOKEN=abc python t.py", "HF_TOKEN=***" }, /* or a value with blanks */
	/* addresses */
	{ "", "s3://me:abc@b/c", "s3://b/c" },
	{ "", "http://abc@h/a@b", "http://h/a@b" },
	{ "--storage", "postgresql://optuna:pa/ss#w@db/optuna", "postgresql://db/optuna" },
	{ "", "redis://:p?w@h", "redis://h" },
	{ "", "redis://:1/w@h", "redis://h" },
	{ "", "x=mongodb://u:p@h1,h2/db", "x=mongodb://h1,h2/db" },
	{ "", "http://u:a@h,http://v:b@i", "http://h,http://i" },
	{ "", "http://u:a'b@h", "http://h" },
	{ "", "http://a:b@h c@d", "http://h c@d" },
	{ "-c", "x 'http://a:b/@h' 'c@d'", "x 'http://h' 'c@d'" },
	{ "", "{\"a\":\"http://x\",\"b\":\"foo@bar\"}", NULL },
	{ "", "{\"a\":\"http://u:p@x\",\"b\":\"foo@bar\"}",
	  "{\"a\":\"http://x\",\"b\":\"foo@bar\"}" },
	{ "", "a=http://x,b=foo@bar", NULL },
	{ "", "docker://h:5000/image@sha256:abc", NULL },
	{ "", "http://h:80", NULL },
	{ "", "git@h:a/b.git", NULL },
};

static void secrets_are_masked(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
		const struct argument *argument = &arguments[i];
		char *before = strdup(argument->before), *given = strdup(argument->given);
		char *argv[] = { before, given, NULL };
		struct text text = { 0 };

		masked_argument(&text, argv, 1);
		assert_string_equal(text_c_string(&text),
				    argument->shown ? argument->shown : argument->given);
		text_deinit(&text);
		free(before);
		free(given);
	}
}

static void programs_tell_what_an_option_takes(void **state)
{
	static const char *const lines[][4] = {
		{ "sshpass", "-p", "abc", "***" }, { "/usr/bin/sshpass", "-p", "8080", "***" },
		{ "srun", "-p", "A100", "A100" },  { "/opt/slurm/bin/srun", "-p", "a100", "a100" },
		{ "python3", "-p", "Ab3", "***" }, { "python3", "-p", "abc", "abc" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		char *argv[] = { strdup(lines[i][0]), strdup(lines[i][1]), strdup(lines[i][2]),
				 NULL };
		struct text text = { 0 };

		masked_argument(&text, argv, 2);
		assert_string_equal(text_c_string(&text), lines[i][3]);
		text_deinit(&text);
		for (size_t word = 0; argv[word]; word++)
			free(argv[word]);
	}
}

static void remotes_keep_no_password(void **state)
{
	static const char *const remotes[][2] = {
		{ "https://ann:abc@h/b.git", "https://h/b.git" },
		{ "https://ann:a/b@h/b.git", "https://h/b.git" },
		{ "https://h:8443/b@c.git", "https://h:8443/b@c.git" },
		{ "git@h:b.git", "git@h:b.git" },
		{ "ann:abc@h:b.git", "h:b.git" },
		{ "../b", "../b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof remotes / sizeof remotes[0]; i++) {
		struct text text = { 0 };

		masked_remote(&text, remotes[i][0]);
		assert_string_equal(text_c_string(&text), remotes[i][1]);
		text_deinit(&text);
	}
}

static uint64_t next_random(uint64_t bits)
{
	bits ^= bits << 13;
	bits ^= bits >> 7;
	return bits ^ bits << 17;
}

/* Pieces of what is looked for, in any order: nothing is read outside of the word, which ends where its memory does. */
static void any_order_of_pieces_is_read(void **state)
{
	static const char *const pieces[] = {
		"token", "--", "=",      ":",     " ",  "\"", "'",    "\\",
		"://",   "@",  "{",      "]",     ",",  ">",  "-",    "/",
		"\n",    "x",  "bearer", "A_KEY", "-p", "-u", "&sig", "\xc3\xa9",
	};
	uint64_t bits = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct text word = { 0 }, shown = { 0 };
		char before[] = "-c", *argv[] = { before, NULL, NULL };

		for (int n = 0; n < 20; n++) {
			bits = next_random(bits);
			text_str(&word, pieces[bits % (sizeof pieces / sizeof pieces[0])]);
		}
		argv[1] = strdup(text_c_string(&word));
		masked_argument(&shown, argv, 1);
		assert_false(shown.failed);
		free(argv[1]);
		text_deinit(&word);
		text_deinit(&shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_are_masked),
		cmocka_unit_test(programs_tell_what_an_option_takes),
		cmocka_unit_test(remotes_keep_no_password),
		cmocka_unit_test(any_order_of_pieces_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
