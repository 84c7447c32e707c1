/* metrics_filter.c - see metrics_filter.h. */
#include "metrics_filter.h"

#include <stdio.h>
#include <string.h>

#include "json_walk.h"

#define FULL_NAME_MAX 512
#define VALUE_MAX 4096

/* Puts a replacement for what POSIX does not know; false when there is no room. */
static bool put(char *ret, size_t *length, const char *text)
{
	size_t more = strlen(text);

	if (*length + more >= METRICS_EXPRESSION_MAX)
		return false;
	memcpy(ret + *length, text, more + 1);
	*length += more;
	return true;
}

/* \d and (?: become what they mean. In brackets a backslash is a character of its own, but before d. */
static bool translate(const char *expression, char ret[METRICS_EXPRESSION_MAX])
{
	size_t length = 0;
	bool is_in_brackets = false, fits = true;

	for (const char *at = expression; *at && fits; at++) {
		char one[3] = { *at };
		if (strncmp(at, "\\d", 2) == 0) {
			fits = put(ret, &length, is_in_brackets ? "0-9" : "[0-9]");
			at++;
			continue;
		}
		if (!is_in_brackets && strncmp(at, "(?:", 3) == 0) {
			fits = put(ret, &length, "(");
			at += 2;
			continue;
		}
		if (!is_in_brackets && *at == '\\' && at[1])
			one[1] = *++at;
		else if (*at == '[')
			is_in_brackets = true;
		else if (*at == ']')
			is_in_brackets = false;
		fits = put(ret, &length, one);
	}
	ret[length] = '\0';
	return fits && length > 0;
}

static bool compile(regex_t *regex, const char *expression)
{
	char posix[METRICS_EXPRESSION_MAX];

	return translate(expression, posix) && regcomp(regex, posix, REG_EXTENDED | REG_NOSUB) == 0;
}

static struct metrics_filter *add_filter(struct metrics_filters *filters, const char *expression)
{
	struct metrics_filter *filter = &filters->filters[filters->count];

	if (filters->count == METRICS_FILTERS_MAX || !compile(&filter->metric, expression))
		return NULL;
	filter->label_count = 0;
	filters->count++;
	return filter;
}

static bool add_label(struct metrics_filter *filter, const char *name, const char *expression)
{
	struct metrics_label_filter *label = &filter->labels[filter->label_count];

	if (filter->label_count == METRICS_FILTER_LABELS_MAX ||
	    strlen(name) >= sizeof label->name || !compile(&label->value, expression))
		return false;
	strcpy(label->name, name); /* it fits */
	filter->label_count++;
	return true;
}

/* The walk cuts a text that is too long to size - 1 bytes. */
static bool is_whole(const char *text)
{
	return strlen(text) < METRICS_EXPRESSION_MAX - 1;
}

static bool read_labels(struct json_walk *walk, struct metrics_filter *filter)
{
	char name[METRICS_EXPRESSION_MAX], expression[METRICS_EXPRESSION_MAX];

	if (!json_walk_object(walk))
		return false;
	while (json_walk_member(walk, name, sizeof name)) {
		if (!json_walk_text(walk, expression, sizeof expression) || !is_whole(name) ||
		    !is_whole(expression) || !add_label(filter, name, expression))
			return false;
	}
	return true;
}

static bool read_object(struct json_walk *walk, struct metrics_filters *filters)
{
	char expression[METRICS_EXPRESSION_MAX];

	while (json_walk_member(walk, expression, sizeof expression)) {
		struct metrics_filter *filter =
			is_whole(expression) ? add_filter(filters, expression) : NULL;
		if (!filter || !read_labels(walk, filter))
			return false;
	}
	return !walk->has_failed;
}

static bool read_array(struct json_walk *walk, struct metrics_filters *filters)
{
	char expression[METRICS_EXPRESSION_MAX];

	while (json_walk_element(walk)) {
		if (!json_walk_text(walk, expression, sizeof expression) || !is_whole(expression) ||
		    !add_filter(filters, expression))
			return false;
	}
	return !walk->has_failed;
}

/* An expression may begin with "[", too: what does not begin like an array of texts is one. */
static bool is_array(const char *text)
{
	const char *at = text + strspn(text, " \t\r\n");

	if (*at != '[')
		return false;
	at++;
	at += strspn(at, " \t\r\n");
	return *at == '"' || *at == ']';
}

bool metrics_filters_init(struct metrics_filters *filters, const char *text)
{
	struct json_walk walk;
	bool is_good;

	filters->count = 0;
	json_walk_begin(&walk, text, strlen(text));
	if (text[strspn(text, " \t\r\n")] == '\0')
		return true;
	if (is_array(text))
		is_good = json_walk_array(&walk) && read_array(&walk, filters);
	else if (json_walk_object(&walk))
		is_good = read_object(&walk, filters);
	else
		is_good = add_filter(filters, text) != NULL;
	if (!is_good)
		metrics_filters_deinit(filters);
	return is_good;
}

void metrics_filters_deinit(struct metrics_filters *filters)
{
	for (size_t i = 0; i < filters->count; i++) {
		struct metrics_filter *filter = &filters->filters[i];
		regfree(&filter->metric);
		for (size_t l = 0; l < filter->label_count; l++)
			regfree(&filter->labels[l].value);
	}
	filters->count = 0;
}

/* A very long value of an exporter is no match: it would take the time of all others. */
static bool matches(const regex_t *regex, const char *text)
{
	return strnlen(text, VALUE_MAX) < VALUE_MAX && regexec(regex, text, 0, NULL, 0) == 0;
}

static const char *find_label(const struct metrics_sample *sample, const char *name)
{
	for (size_t i = 0; i < sample->label_count; i++) {
		if (strcmp(sample->labels[i].name, name) == 0)
			return sample->labels[i].value;
	}
	return NULL;
}

static bool fits(const struct metrics_filter *filter, const char *full_name,
		 const struct metrics_sample *sample)
{
	if (!matches(&filter->metric, full_name))
		return false;
	for (size_t i = 0; i < filter->label_count; i++) {
		const char *value = find_label(sample, filter->labels[i].name);
		if (!value || !matches(&filter->labels[i].value, value))
			return false;
	}
	return true;
}

bool metrics_filters_match(const struct metrics_filters *filters, const char *endpoint,
			   const struct metrics_sample *sample)
{
	char full_name[FULL_NAME_MAX];

	if (filters->count == 0)
		return true;
	snprintf(full_name, sizeof full_name, "%s.%s", endpoint, sample->name);
	for (size_t i = 0; i < filters->count; i++) {
		if (fits(&filters->filters[i], full_name, sample))
			return true;
	}
	return false;
}
