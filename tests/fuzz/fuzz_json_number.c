/* Numbers are read as strtod reads them, and what is written reads back. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "json_number.h"

static void check_written(double value)
{
	char text[JSON_NUMBER_TEXT_SIZE + 32] = "";
	struct json_number back;
	size_t len = json_number_write(value, text);
	const char *end;

	FUZZ_CHECK(len < JSON_NUMBER_TEXT_SIZE);
	if (!isfinite(value))
		return;
	memset(text + len, 0, sizeof(text) - len);
	end = json_number_read(text, &back);
	FUZZ_CHECK(end == text + len);
	FUZZ_CHECK(memcmp(&back.value, &value, sizeof(value)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 64);
	struct json_number number;
	const char *end;
	double value;

	FUZZ_CHECK(text);
	if (size)
		memcpy(text, data, size);
	end = json_number_read(text, &number);
	if (end) {
		/* strtod reads hexadecimal after a zero, and JSON ends there */
		text[end - text] = '\0';
		value = strtod(text, NULL);
		FUZZ_CHECK(memcmp(&value, &number.value, sizeof(value)) == 0);
		check_written(value);
	}
	if (size >= sizeof(value)) {
		memcpy(&value, data, sizeof(value));
		check_written(value);
	}
	free(text);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"0",
		"-0.0",
		"1e23",
		"9007199254740993",
		"18446744073709551616",
		"0.1",
		"2.2250738585072011e-308",
		"4.9406564584124654e-324",
		"1.7976931348623159e308",
		"123456789.123456789e-15",
		"0.000000000000000000000000000000001234567890123456789",
		"1.00000000000000011102230246251565404236316680908203125",
		"8.5e+68",
		"1763725574.25",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
