/* metrics_text.c - see metrics_text.h. A line is read from left to right and ended in place. */
#include "metrics_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "decimal.h"

#define FAMILY_MAX 256 /* bytes of a name, with the NUL; a longer one has no known type */
#define TOTAL "_total"

enum type { TYPE_OTHER, TYPE_GAUGE, TYPE_COUNTER };

struct reader {
	char family[FAMILY_MAX]; /* of the last "# TYPE" */
	enum type type;
	struct metrics_sample sample;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static char *skip_blanks(char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
}

static char *skip_name(char *at)
{
	if (!is_name_start(*at))
		return at;
	while (is_name_start(*at) || (*at >= '0' && *at <= '9'))
		at++;
	return at;
}

static bool begins_with_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	return strncmp(text, word, length) == 0 && is_blank(text[length]);
}

/* "# TYPE name gauge" */
static void read_comment(struct reader *reader, char *line)
{
	char *at = skip_blanks(line + 1);

	if (!begins_with_word(at, "TYPE"))
		return;
	at = skip_blanks(at + strlen("TYPE"));
	char *end = skip_name(at);
	size_t length = (size_t)(end - at);
	reader->type = TYPE_OTHER;
	if (length == 0 || length >= FAMILY_MAX || !is_blank(*end))
		return;
	memcpy(reader->family, at, length);
	reader->family[length] = '\0';
	at = skip_blanks(end);
	size_t type_length = strcspn(at, " \t\r");
	if (type_length == strlen("gauge") && strncmp(at, "gauge", type_length) == 0)
		reader->type = TYPE_GAUGE;
	else if (type_length == strlen("counter") && strncmp(at, "counter", type_length) == 0)
		reader->type = TYPE_COUNTER;
}

/* OpenMetrics calls the samples of the counter "x" "x_total", and has "x_created", too. */
static bool is_of_family(const struct reader *reader, const char *name)
{
	size_t length = strlen(reader->family);

	if (reader->type == TYPE_OTHER || strncmp(name, reader->family, length) != 0)
		return false;
	return name[length] == '\0' ||
	       (reader->type == TYPE_COUNTER && strcmp(name + length, TOTAL) == 0);
}

/* Ends the text between quotes, from behind the first, and takes its escapes away. NULL: it has no end. */
static char *end_quoted(char *at)
{
	char *to = at;

	for (; *at != '"'; at++) {
		if (*at == '\0')
			return NULL;
		if (*at == '\\') {
			at++;
			if (*at == '\0')
				return NULL;
			if (*at != '\\' && *at != '"' && *at != 'n')
				*to++ = '\\';
			*to++ = *at == 'n' ? '\n' : *at;
			continue;
		}
		*to++ = *at;
	}
	*to = '\0';
	return at + 1;
}

/* Keeps labels in the order of their names: an exporter may change theirs. False when there are too many, or one twice. */
static bool add_label(struct metrics_sample *sample, const char *name, const char *value)
{
	size_t at = sample->label_count;

	if (at == METRICS_LABELS_MAX)
		return false;
	for (; at > 0; at--) {
		int order = strcmp(sample->labels[at - 1].name, name);
		if (order == 0)
			return false;
		if (order < 0)
			break;
		sample->labels[at] = sample->labels[at - 1];
	}
	sample->labels[at] = (struct metrics_label){ .name = name, .value = value };
	sample->label_count++;
	return true;
}

/* name="value"; what follows, or NULL. */
static char *read_label(struct metrics_sample *sample, char *at)
{
	char *name = at, *end = skip_name(at);

	if (end == at)
		return NULL;
	at = skip_blanks(end);
	if (*at != '=')
		return NULL;
	*end = '\0';
	at = skip_blanks(at + 1);
	if (*at != '"')
		return NULL;
	char *value = at + 1;
	at = end_quoted(value);
	return at && add_label(sample, name, value) ? skip_blanks(at) : NULL;
}

/* Behind "{"; what follows "}", or NULL. */
static char *read_labels(struct metrics_sample *sample, char *at)
{
	at = skip_blanks(at);
	while (*at != '}') {
		at = read_label(sample, at);
		if (!at || (*at != ',' && *at != '}'))
			return NULL;
		if (*at == ',')
			at = skip_blanks(at + 1);
	}
	return at + 1;
}

static bool is_word(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncasecmp(*at, word, length) != 0 || isalnum((unsigned char)(*at)[length]))
		return false;
	*at += length;
	return true;
}

/* "+Inf", "NaN" and numbers. */
static bool read_value(const char **text, double *ret_value)
{
	const char *at = *text;
	double sign = 1;

	if (*at == '+' || *at == '-')
		sign = *at++ == '-' ? -1 : 1;
	if (is_word(&at, "Inf") || is_word(&at, "Infinity"))
		*ret_value = sign * INFINITY;
	else if (is_word(&at, "NaN"))
		*ret_value = NAN;
	else if (*at == '-' || !decimal_read(&at, ret_value))
		return false;
	else
		*ret_value *= sign;
	*text = at;
	return true;
}

/* A timestamp or an exemplar may follow the value; neither is looked at. */
static bool read_rest(const char *at, struct metrics_sample *sample)
{
	return read_value(&at, &sample->value) && (*at == '\0' || *at == '\r' || is_blank(*at));
}

/* "name{label="value"} 1.5 1700000000" */
static bool read_sample(struct reader *reader, char *at)
{
	struct metrics_sample *sample = &reader->sample;
	char *end = skip_name(at);

	sample->name = at;
	sample->label_count = 0;
	if (end == at)
		return false;
	char *rest = skip_blanks(end);
	bool has_labels = *rest == '{';
	if (!has_labels && rest == end)
		return false;
	*end = '\0';
	if (!is_of_family(reader, sample->name))
		return false;
	if (has_labels) {
		rest = read_labels(sample, rest + 1);
		if (!rest)
			return false;
		rest = skip_blanks(rest);
	}
	return read_rest(rest, sample);
}

void metrics_text_read(char *text, size_t length, metrics_text_callback *callback, void *context)
{
	struct reader reader = { .type = TYPE_OTHER };
	char *end = text + length;

	while (text < end) {
		char *line_end = memchr(text, '\n', (size_t)(end - text));
		if (!line_end)
			line_end = end;
		*line_end = '\0';
		char *line = skip_blanks(text);
		if (*line == '#')
			read_comment(&reader, line);
		else if (read_sample(&reader, line))
			callback(context, &reader.sample);
		text = line_end + 1;
	}
}
