/* What a browser keeps that has signed in: whose it is, and that nobody else can make it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device.h"

static const struct key_secret one = { { 1 } }, two = { { 2 } };

static void test_whose(void **state)
{
	char text[DEVICE_TEXT_SIZE + 1], other[DEVICE_TEXT_SIZE + 1];

	(void)state;
	device_make(&one, STR("ann"), text);
	device_make(&one, STR("ann"), other);
	assert_int_equal(strlen(text), DEVICE_TEXT_SIZE);
	assert_memory_not_equal(text, other, DEVICE_ID_SIZE);
	assert_true(device_is_of(&one, str_of(text), STR("ann")));
	assert_false(device_is_of(&one, str_of(text), STR("bob")));
	assert_false(device_is_of(&one, str_of(text), STR("")));
	assert_false(device_is_of(&two, str_of(text), STR("ann")));
	assert_int_equal(device_id(str_of(text)).len, DEVICE_ID_SIZE);
	assert_memory_equal(device_id(str_of(text)).at, text, DEVICE_ID_SIZE);
}

/* Any character changed, or cut off, is another text. */
static void test_changed(void **state)
{
	char text[DEVICE_TEXT_SIZE + 1];

	(void)state;
	device_make(&one, STR("ann"), text);
	for (size_t i = 0; i < DEVICE_TEXT_SIZE; i++) {
		text[i] ^= 1;
		assert_false(device_is_of(&one, str_of(text), STR("ann")));
		text[i] ^= 1;
		assert_false(device_is_of(&one, (struct str){ text, i }, STR("ann")));
	}
	assert_true(device_is_of(&one, str_of(text), STR("ann")));
}

/* A part of the name does not pass for a part of the id. */
static void test_no_shift(void **state)
{
	char text[DEVICE_TEXT_SIZE + 1];

	(void)state;
	device_make(&one, STR("ann"), text);
	memmove(text + 1, text, DEVICE_ID_SIZE - 1);
	assert_false(device_is_of(&one, str_of(text), STR("nn")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whose),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_no_shift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
