#include "server_api.h"

#include "app.h"
#include "db_migrate.h"
#include "http_server.h"
#include "json_out.h"
#include "replica.h"
#include "reply.h"

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
