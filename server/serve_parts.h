#ifndef SERVE_PARTS_H
#define SERVE_PARTS_H

#include "app.h"
#include "db.h"
#include "err.h"

/*
 * The parts of the server, each with a start and a stop, in the order of the table in serve.c. A stop
 * is only called of what was started.
 */
err_t raise_file_limit(struct app *app) __attribute__((warn_unused_result));
err_t check_address(struct app *app) __attribute__((warn_unused_result));
err_t start_directory(struct app *app) __attribute__((warn_unused_result));
err_t start_embedded(struct app *app) __attribute__((warn_unused_result));
void stop_embedded(struct app *app);
err_t start_database(struct app *app) __attribute__((warn_unused_result));
err_t start_canceller(struct app *app) __attribute__((warn_unused_result));
void stop_canceller(struct app *app);
err_t start_replica(struct app *app) __attribute__((warn_unused_result));
void stop_replica(struct app *app);
err_t start_auth(struct app *app) __attribute__((warn_unused_result));
void stop_auth(struct app *app);
err_t start_files(struct app *app) __attribute__((warn_unused_result));
void stop_files(struct app *app);
err_t start_alerts(struct app *app) __attribute__((warn_unused_result));
void stop_alerts(struct app *app);
err_t start_ingest(struct app *app) __attribute__((warn_unused_result));
void stop_ingest(struct app *app);
err_t start_search(struct app *app) __attribute__((warn_unused_result));
void stop_search(struct app *app);
err_t start_jobs(struct app *app) __attribute__((warn_unused_result));
void stop_jobs(struct app *app);
err_t start_listeners(struct app *app) __attribute__((warn_unused_result));
void stop_listeners(struct app *app);
void end_ingest(struct app *app);
err_t start_wandb(struct app *app) __attribute__((warn_unused_result));
void stop_wandb(struct app *app);
err_t start_http(struct app *app) __attribute__((warn_unused_result));
void stop_http(struct app *app);

/* Connections of those who write runs. */
struct db_options writing_options(const struct app *app);

#endif
