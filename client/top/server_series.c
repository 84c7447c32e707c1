/* Reads metrics, charts and devices of the shown run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "run_text.h"
#include "server_parts.h"
#include "transport.h"

#define QUERY_MAX_BYTES 3000 /* of keys in one request; further ones go into the next */
#define DEVICE_KEYS_AGE_US (20 * 1000000LL)
#define DEVICE_SPAN_S 300 /* values that are older are not those of now */

void server_add_key(struct text *query, const char *key)
{
	struct text escaped = { 0 };

	for (; *key; key++) {
		if (*key == ',' || *key == '\\')
			text_add(&escaped, "\\", 1);
		text_add(&escaped, key, 1);
	}
	if (text_c_string(&escaped))
		text_escaped(query, escaped.data);
	text_deinit(&escaped);
}

/* ---- names and last values ------------------------------------------------------------------------- */

static bool is_number(struct json item)
{
	struct json kinds = json_member(item, "kinds"), kind = { 0 };
	char text[16];

	while (json_next(kinds, &kind, NULL)) {
		json_copy(kind, text, sizeof text);
		if (strcmp(text, "number") == 0)
			return true;
	}
	return false;
}

static bool read_metric(struct json item, struct model_metric *metric)
{
	struct json last = json_member(item, "last");
	double number;

	*metric = (struct model_metric){ .key = json_text(json_member(item, "key")) };
	if (json_number(last, &number))
		chart_number(number, metric->value);
	else if (json_is_string(last))
		json_copy(last, metric->value, sizeof metric->value);
	return metric->key != NULL;
}

static int get_keys(struct server_source *server, bool is_system)
{
	struct text tail = { 0 };
	int result = EXIT_REFUSED;

	text_format(&tail, "/keys?stream=%s&limit=%d", is_system ? "events" : "history",
		    MODEL_METRICS_MAX);
	if (text_c_string(&tail))
		result = server_get_run(server, tail.data, "items");
	text_deinit(&tail);
	return result;
}

int server_read_metrics(struct server_source *server)
{
	int result = get_keys(server, server->wants.is_system);
	struct json items = json_member(server->api.answer, "items"), item = { 0 };
	struct model_metric *metrics;
	size_t count = 0;

	if (result)
		return result;
	while (json_next(items, &item, NULL))
		count++;
	metrics = calloc(count ? count : 1, sizeof *metrics);
	if (!metrics)
		return EXIT_REFUSED;
	item = (struct json){ 0 };
	for (count = 0; json_next(items, &item, NULL);)
		count += is_number(item) && read_metric(item, &metrics[count]);
	model_take_metrics(feed_begin(server->feed), metrics, count);
	feed_end(server->feed);
	return EXIT_DONE;
}

/* ---- charts ----------------------------------------------------------------------------------------- */

static bool read_point(struct json bucket, struct chart_point *point)
{
	double first, last;

	if (!json_number(json_member(bucket, "x_first"), &first) ||
	    !json_number(json_member(bucket, "x_last"), &last) ||
	    !json_number(json_member(bucket, "min"), &point->low) ||
	    !json_number(json_member(bucket, "max"), &point->high) ||
	    !json_number(json_member(bucket, "mean"), &point->mean))
		return false;
	point->x = (first + last) / 2;
	return true;
}

static void take_series(struct server_source *server, struct json series)
{
	struct json buckets = json_member(series, "buckets"), bucket = { 0 };
	char *key = json_text(json_member(series, "key"));
	size_t most = 0, count = 0;
	struct chart_point *points;

	while (json_next(buckets, &bucket, NULL))
		most++;
	points = calloc(most ? most : 1, sizeof *points);
	if (!key || !points) {
		free(key);
		free(points);
		return;
	}
	bucket = (struct json){ 0 };
	while (json_next(buckets, &bucket, NULL))
		count += read_point(bucket, &points[count]);
	model_take_points(feed_begin(server->feed), key, points, count);
	feed_end(server->feed);
	free(key);
}

/* Begins a query with as many of the keys as fit. Returns how many. */
static size_t add_keys(struct text *tail, char *const *keys, size_t count)
{
	size_t used = 0;

	text_str(tail, "&keys=");
	for (;
	     used < count && (used == 0 || tail->length + strlen(keys[used]) * 3 < QUERY_MAX_BYTES);
	     used++) {
		text_str(tail, used ? "," : "");
		server_add_key(tail, keys[used]);
	}
	return used;
}

int server_read_charts(struct server_source *server)
{
	const struct wants *wants = &server->wants;
	const char *x = wants->is_relative || wants->is_system ? "_relative" : "_step";
	int result = EXIT_DONE;

	for (size_t done = 0; !result && done < wants->key_count;) {
		struct json series = { 0 };
		struct text tail = { 0 };

		text_format(&tail, "/%s?buckets=%d&x=%s", wants->is_system ? "events" : "history",
			    wants->points > 0 ? wants->points : 100, x);
		done += add_keys(&tail, wants->keys + done, wants->key_count - done);
		result = text_c_string(&tail) ? server_get_run(server, tail.data, "series")
					      : EXIT_REFUSED;
		text_deinit(&tail);
		while (!result &&
		       json_next(json_member(server->api.answer, "series"), &series, NULL))
			take_series(server, series);
	}
	return result;
}

/* ---- devices ---------------------------------------------------------------------------------------- */

static int read_device_keys(struct server_source *server)
{
	struct json items, item = { 0 };
	size_t count = 0;
	int result;

	if (server->device_keys_us &&
	    transport_clock_us() - server->device_keys_us < DEVICE_KEYS_AGE_US)
		return EXIT_DONE;
	result = get_keys(server, true);
	if (result)
		return result;
	for (size_t i = 0; i < server->device_key_count; i++)
		free(server->device_keys[i]);
	free(server->device_keys);
	server->device_key_count = 0;
	items = json_member(server->api.answer, "items");
	while (json_next(items, &item, NULL))
		count++;
	server->device_keys = calloc(count ? count : 1, sizeof *server->device_keys);
	item = (struct json){ 0 };
	while (server->device_keys && json_next(items, &item, NULL)) {
		char *key = json_text(json_member(item, "key"));

		if (key && devices_want(key))
			server->device_keys[server->device_key_count++] = key;
		else
			free(key);
	}
	server->device_keys_us = transport_clock_us();
	return result;
}

static const char *host_of(const struct server_source *server, struct json series,
			   const char *label)
{
	double number;

	if (!json_number(json_member(series, "writer"), &number))
		return label;
	for (size_t i = 0; i < server->host_count; i++) {
		if (server->hosts[i].number == number)
			return server->hosts[i].host;
	}
	return label;
}

static void add_device(struct server_source *server, struct json series, struct devices *devices)
{
	struct json bucket = { 0 };
	char *key = json_text(json_member(series, "key"));
	char *label = json_text(json_member(series, "label"));
	double value;

	if (key && label && json_next(json_member(series, "buckets"), &bucket, NULL) &&
	    json_number(json_member(bucket, "last"), &value))
		devices_add(devices, host_of(server, series, label), key, value);
	free(key);
	free(label);
}

/* Values of the last minutes, or of all time if there are none: the clock of a host may be off. */
static int read_device_values(struct server_source *server, double from_s, struct devices *devices)
{
	int result = EXIT_DONE;

	for (size_t done = 0; !result && done < server->device_key_count;) {
		struct json series = { 0 };
		struct text tail = { 0 };

		text_str(&tail, "/events?buckets=1&split=writer");
		if (!isnan(from_s))
			text_format(&tail, "&from=%.0f", from_s);
		done += add_keys(&tail, server->device_keys + done,
				 server->device_key_count - done);
		result = text_c_string(&tail) ? server_get_run(server, tail.data, "series")
					      : EXIT_REFUSED;
		text_deinit(&tail);
		while (!result &&
		       json_next(json_member(server->api.answer, "series"), &series, NULL))
			add_device(server, series, devices);
	}
	return result;
}

static double latest_sign(struct server_source *server)
{
	const struct model_run *run;
	double time_s = NAN;

	run = model_shown_run(feed_begin(server->feed));
	if (run)
		time_s = run->ended_s > 0 ? run->ended_s : run->heard_s;
	feed_end(server->feed);
	return time_s;
}

int server_read_devices(struct server_source *server)
{
	struct devices devices = { 0 };
	int result = read_device_keys(server);

	if (!result)
		result = read_device_values(server, latest_sign(server) - DEVICE_SPAN_S, &devices);
	if (!result && devices.count == 0)
		result = read_device_values(server, NAN, &devices);
	if (!result && server->device_key_count) {
		devices_take(&devices, feed_begin(server->feed));
		feed_end(server->feed);
	}
	for (size_t i = 0; i < devices.count; i++)
		free(devices.items[i].host);
	free(devices.items);
	return result;
}
