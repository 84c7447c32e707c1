#include "server_api.h"

#include "app.h"
#include "content.h"
#include "db_migrate.h"
#include "http_server.h"
#include "json_out.h"
#include "replica.h"
#include "reply.h"
#include "server_store.h"
#include "usage_store.h"

static err_t reply_word(struct request *q, const char *status)
{
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_put_text(&out, "status", str_of(status));
	json_out_object_end(&out);
	return NULL;
}

err_t server_api_health(struct request *q)
{
	return reply_word(q, "ok");
}

/* Without its replica the server is ready all the same. */
static err_t reply_ready(struct request *q)
{
	const char *replica = replica_state(q->app->replica);
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_put_text(&out, "status", STR("ready"));
	if (replica)
		json_out_put_text(&out, "replica", str_of(replica));
	json_out_object_end(&out);
	return NULL;
}

err_t server_api_ready(struct request *q)
{
	int version;
	err_t e;

	e = db_schema_version(q->db, &version);
	if (e) {
		struct err *busy = err_new(q->arena, ERR_BUSY, "the database does not answer");

		busy->cause = e;
		return busy;
	}
	if (version < (int)db_schema.migrations)
		return err_new(q->arena, ERR_BUSY, "the database is at migration %d of %zu",
			       version, db_schema.migrations);
	return reply_ready(q);
}

err_t server_api_metrics(struct request *q)
{
	struct buf *body = buf_new(q->arena);

	http_server_metrics(http_server_of(q), body);
	reply_body(q, "text/plain; version=0.0.4; charset=utf-8", body);
	return NULL;
}

err_t server_api_show(struct request *q)
{
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_put_text(&out, "version", STR(CAIRN_VERSION));
	json_out_put_text(&out, "api", STR("v1"));
	json_out_put_time(&out, "time", q->now);
	json_out_object_end(&out);
	return NULL;
}

/* ---- for admins --------------------------------------------------------------------------------- */

static void put_database(struct request *q, struct json_out *o, int64_t size_bytes)
{
	int version = db_server_version(q->db);

	json_out_key(o, "database");
	json_out_object(o);
	json_out_put_text(
		o, "version",
		str_of(arena_printf(q->arena, "%d.%d", version / 10000, version % 10000)));
	json_out_put_bool(o, "embedded", q->app->embedded != NULL);
	json_out_put_int(o, "migration", (int64_t)db_schema.migrations);
	json_out_put_int(o, "bytes", size_bytes);
	json_out_object_end(o);
}

/* By the rate of some days at most; of one at least. */
static err_t read_forecast(struct request *q, const struct content_room *room,
			   struct disk_forecast *ret_forecast)
{
	const struct disk_forecast_sample now = { q->now, room->size_bytes - room->free_bytes };
	timestamp_us since = { q->now.us - DISK_FORECAST_BACK_DAYS * DISK_FORECAST_DAY_US };
	struct disk_forecast_sample *before;
	err_t e = usage_store_find_sample(q->db, since, room->size_bytes, &before);

	if (!e)
		*ret_forecast =
			disk_forecast_of(before, &now, room->free_bytes - room->reserve_bytes);
	return e;
}

static void put_files(struct json_out *o, const struct content_room *room,
		      const struct disk_forecast *forecast)
{
	json_out_key(o, "files");
	json_out_object(o);
	json_out_put_int(o, "disk_bytes", room->size_bytes);
	json_out_put_int(o, "free_bytes", room->free_bytes);
	json_out_put_int(o, "reserve_bytes", room->reserve_bytes);
	json_out_put_int_or_null(o, "full_in_days", forecast->days >= 0, forecast->days);
	json_out_put_int_or_null(o, "rate_days", forecast->days >= 0, forecast->rate_days);
	json_out_object_end(o);
}

static void put_kept(struct request *q, struct json_out *o)
{
	json_out_key(o, "kept");
	json_out_object(o);
	json_out_put_int(o, "grace_s", q->app->config->grace_s);
	json_out_put_int(o, "audit_days", q->app->config->audit_days);
	json_out_put_int(o, "audit_entries", q->app->config->audit_entries);
	json_out_object_end(o);
}

err_t server_api_state(struct request *q)
{
	const char *replica = replica_state(q->app->replica);
	struct disk_forecast forecast;
	struct content_room room;
	struct json_out out;
	int64_t size_bytes;
	err_t e = server_store_bytes(q->db, &size_bytes);

	if (!e)
		e = content_room(q->app->content, q->arena, &room);
	if (!e)
		e = read_forecast(q, &room, &forecast);
	if (e)
		return e;
	out = reply_json(q);
	json_out_object(&out);
	put_database(q, &out, size_bytes);
	put_files(&out, &room, &forecast);
	put_kept(q, &out);
	json_out_put_text_or_null(&out, "replica", str_of(replica));
	json_out_object_end(&out);
	return NULL;
}
