#include "notify.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alert_store.h"
#include "arena.h"
#include "clock.h"
#include "log.h"
#include "notify_letter.h"
#include "notify_send.h"
#include "project_pause.h"
#include "server_store.h"
#include "thread.h"
#include "webhook.h"
#include "webhook_hosts.h"

enum { ARENA = 64 << 10, POLL_MS = 500, DATABASE_TIMEOUT_MS = 10000, LOCK_TIMEOUT_MS = 1000 };

enum slot_state {
	SLOT_FREE,
	SLOT_SENDING,
	SLOT_TOLD, /* the result is not recorded yet */
};

struct slot {
	enum slot_state state;
	struct arena *arena; /* of its letter */
	struct alert_delivery_row row;
	struct notify_letter letter;
	struct notify_send send;
	bool was_sent;
	int64_t begun_us; /* monotonic */
};

struct notify {
	struct notify_options options;
	const struct webhook_hosts *hosts;
	struct arena *connection_arena, *arena;
	struct db *db;
	CURLM *multi;
	pthread_t thread;
	bool is_running;
	_Atomic bool stop;
	struct slot slots[NOTIFY_AT_ONCE];
	struct project_pause pause;
	timestamp_us now; /* the database's clock, once a round */
	bool is_failing;
	_Atomic uint64_t sent, failed, given_up;
};

/* ---- recording ---------------------------------------------------------------------------------- */

/* The state to be stored; waiting, sent or given up. */
static void decide(struct notify *n, struct slot *slot)
{
	struct alert *alert = &slot->letter.alert;

	alert->tried_at = n->now;
	if (slot->was_sent)
		alert->delivery = ALERT_SENT;
	else if (!slot->letter.url.len || !alert_try_again(alert, n->now, &alert->due_at))
		alert->delivery = ALERT_GIVEN_UP;
	else
		alert->delivery = ALERT_WAITING;
}

static err_t store(struct notify *n, const struct slot *slot)
{
	err_t e = db_begin(n->db, DATABASE_TIMEOUT_MS, LOCK_TIMEOUT_MS);

	if (!e)
		e = alert_store_tried(n->db, &slot->row, &slot->letter.alert);
	if (!e)
		e = db_commit(n->db);
	if (e)
		db_rollback(n->db);
	return e;
}

static void count(struct notify *n, const struct slot *slot)
{
	const struct alert *alert = &slot->letter.alert;

	if (slot->was_sent)
		atomic_fetch_add(&n->sent, 1);
	else
		atomic_fetch_add(&n->failed, 1);
	if (alert->delivery != ALERT_GIVEN_UP)
		return;
	atomic_fetch_add(&n->given_up, 1);
	log_warning("alert dropped", LOG_INT("run_id", slot->row.run_id),
		    LOG_INT("number", slot->row.number),
		    LOG_TEXT("fault", str_copy(slot->arena, alert->fault)));
}

static void release(struct slot *slot)
{
	arena_reset(slot->arena);
	slot->state = SLOT_FREE;
}

static err_t record(struct notify *n, struct slot *slot)
{
	err_t e;

	decide(n, slot);
	e = store(n, slot);
	/* Another server has it by now, and records the result of its own try. */
	if (e && clock_mono_us() - slot->begun_us < NOTIFY_LEASE_US)
		return e;
	if (!e)
		count(n, slot);
	release(slot);
	return e;
}

static err_t record_all(struct notify *n)
{
	err_t e = NULL;

	for (size_t i = 0; i < NOTIFY_AT_ONCE && !e; i++) {
		if (n->slots[i].state == SLOT_TOLD)
			e = record(n, &n->slots[i]);
	}
	return e;
}

/* ---- sending ------------------------------------------------------------------------------------ */

static struct slot *free_slot(struct notify *n)
{
	for (size_t i = 0; i < NOTIFY_AT_ONCE; i++) {
		if (n->slots[i].state == SLOT_FREE)
			return &n->slots[i];
	}
	return NULL;
}

static void begin(struct notify *n, struct slot *slot)
{
	const struct notify_send_rules rules = {
		.hosts = n->hosts,
		.ca_file = n->options.ca_file,
		.timeout_ms = n->options.timeout_ms,
	};

	slot->was_sent = false;
	slot->state = SLOT_TOLD;
	if (!slot->letter.url.len)
		return;
	if (notify_send_begin(&slot->send, n->multi, &slot->letter, &rules))
		slot->state = SLOT_SENDING;
	else
		slot->letter.alert.fault = STR("no-connection");
}

/* Projects that are being sent to, and those that just failed. */
static size_t left_alone(struct notify *n, int64_t ids[static NOTIFY_AT_ONCE + PROJECT_PAUSES])
{
	size_t count = project_pause_list(&n->pause, clock_mono_us(), ids);

	for (size_t i = 0; i < NOTIFY_AT_ONCE; i++) {
		if (n->slots[i].state != SLOT_FREE)
			ids[count++] = n->slots[i].row.project_id;
	}
	return count;
}

static err_t take(struct notify *n, struct alert_delivery_row **ret_row)
{
	int64_t ids[NOTIFY_AT_ONCE + PROJECT_PAUSES];
	struct alert_take ask = {
		.now = n->now,
		.until = { n->now.us + NOTIFY_LEASE_US },
		.projects_left_alone = ids,
		.count = left_alone(n, ids),
	};

	return alert_store_take(n->db, &ask, ret_row);
}

/* In memory of its own, for the time of sending. */
static err_t read_letter(struct notify *n, struct slot *slot)
{
	const struct notify_letter_ask ask = {
		.row = &slot->row,
		.secret = n->options.secret,
		.public_url = n->options.public_url,
		.now = n->now,
	};
	err_t e;

	db_set_arena(n->db, slot->arena);
	e = notify_letter_read(n->db, &ask, &slot->letter);
	if (e)
		e = err_wrap(n->arena, e, "reading an alert");
	db_set_arena(n->db, n->arena);
	return e;
}

static err_t begin_one(struct notify *n, struct slot *slot, bool *ret_begun)
{
	struct alert_delivery_row *row;
	err_t e = take(n, &row);

	*ret_begun = !e && row;
	if (!*ret_begun)
		return e;
	slot->row = *row;
	slot->begun_us = clock_mono_us();
	e = read_letter(n, slot);
	if (e)
		release(slot); /* due again when the lease is over */
	else
		begin(n, slot);
	return e;
}

static err_t begin_due(struct notify *n)
{
	bool begun = true;
	err_t e = NULL;

	while (begun && !e) {
		struct slot *slot = free_slot(n);

		if (!slot)
			break;
		e = begin_one(n, slot, &begun);
	}
	return e;
}

static const char *hint_of(CURLcode code)
{
	return code == CURLE_PEER_FAILED_VERIFICATION
		       ? "if the certificate is signed by your own authority, set ca_file to the "
			 "authority's certificate"
		       : "";
}

/* The full reason is only in the log: readers of the run see less (alert_fault_shown). */
static void tell_failure(struct slot *slot, CURLcode code)
{
	const char *reason = slot->send.reason;

	log_info("cannot send an alert", LOG_INT("run_id", slot->row.run_id),
		 LOG_INT("number", slot->row.number),
		 LOG_TEXT("host", str_copy(slot->arena, webhook_host(slot->letter.url))),
		 LOG_TEXT("fault", str_copy(slot->arena, slot->letter.alert.fault)),
		 LOG_INT("status", slot->letter.alert.status),
		 LOG_TEXT("detail", *reason ? reason : curl_easy_strerror(code)),
		 LOG_TEXT("hint", hint_of(code)));
}

static void end_one(struct notify *n, CURL *easy, CURLcode code)
{
	for (size_t i = 0; i < NOTIFY_AT_ONCE; i++) {
		struct slot *slot = &n->slots[i];
		struct alert *alert = &slot->letter.alert;

		if (slot->state != SLOT_SENDING || slot->send.easy != easy)
			continue;
		slot->was_sent =
			notify_send_result(&slot->send, code, &alert->status, &alert->fault);
		if (!slot->was_sent)
			tell_failure(slot, code);
		project_pause_note(&n->pause, slot->row.project_id, slot->was_sent,
				   clock_mono_us());
		notify_send_end(&slot->send, n->multi);
		slot->state = SLOT_TOLD;
		return;
	}
}

static void transfer(struct notify *n)
{
	int running, left;
	CURLMsg *message;

	curl_multi_perform(n->multi, &running);
	while ((message = curl_multi_info_read(n->multi, &left))) {
		if (message->msg == CURLMSG_DONE)
			end_one(n, message->easy_handle, message->data.result);
	}
}

/* ---- the thread --------------------------------------------------------------------------------- */

static err_t do_round(struct notify *n)
{
	err_t e = server_store_now(n->db, &n->now);

	if (!e)
		e = record_all(n);
	return e ? e : begin_due(n);
}

/* A failure is logged once, and again when alerts are sent again. */
static void note(struct notify *n, err_t e)
{
	if (e && !n->is_failing)
		log_warning("alerts cannot be sent", LOG_TEXT("error", err_chain(n->arena, e)));
	if (!e && n->is_failing)
		log_info("alerts can be sent again");
	n->is_failing = e != NULL;
}

static bool is_told(const struct notify *n)
{
	for (size_t i = 0; i < NOTIFY_AT_ONCE; i++) {
		if (n->slots[i].state == SLOT_TOLD)
			return true;
	}
	return false;
}

/* The database is queried if there is something to record, and each POLL_MS. */
static void *main_loop(void *arg)
{
	struct notify *n = arg;
	int64_t round_us = 0;

	while (!atomic_load(&n->stop)) {
		transfer(n);
		if (!is_told(n) && clock_mono_us() < round_us + POLL_MS * 1000) {
			curl_multi_poll(n->multi, NULL, 0, POLL_MS, NULL);
			continue;
		}
		round_us = clock_mono_us();
		note(n, do_round(n));
		arena_reset(n->arena);
		if (n->is_failing)
			curl_multi_poll(n->multi, NULL, 0, POLL_MS, NULL);
	}
	return NULL;
}

/* ---- start and stop ------------------------------------------------------------------------------ */

/* Else each alert would fail. */
static err_t check_ca_file(struct arena *a, const char *path)
{
	char line[128] = "";
	bool holds_one = false;
	FILE *f;

	if (!*path)
		return NULL;
	f = fopen(path, "re");
	if (!f)
		return err_field(a, ERR_PRECONDITION, "ca_file", "cannot read \"%s\": %s", path,
				 strerror(errno));
	while (!holds_one && fgets(line, sizeof(line), f))
		holds_one = strstr(line, "-----BEGIN CERTIFICATE-----") != NULL;
	fclose(f);
	return holds_one ? NULL
			 : err_field(a, ERR_PRECONDITION, "ca_file",
				     "\"%s\" does not contain a PEM CERTIFICATE", path);
}

static err_t connect_database(struct arena *a, struct notify *n)
{
	err_t e = db_open(n->connection_arena, &n->options.database, &n->db);

	return e ? err_wrap(a, e, "the sender of alerts cannot reach the database") : NULL;
}

err_t notify_start(struct arena *a, const struct notify_options *options,
		   struct notify **ret_notify)
{
	struct notify *n = arena_new_of(a, struct notify);
	err_t e;

	n->options = *options;
	n->connection_arena = arena_new(4096);
	n->arena = arena_new(ARENA);
	for (size_t i = 0; i < NOTIFY_AT_ONCE; i++)
		n->slots[i].arena = arena_new(4096);
	e = webhook_hosts_parse(a, options->hosts, &n->hosts);
	if (!e)
		e = check_ca_file(a, options->ca_file);
	if (!e)
		e = connect_database(a, n);
	if (!e && (curl_global_init(CURL_GLOBAL_DEFAULT) || !(n->multi = curl_multi_init())))
		e = err_new(a, ERR_INTERNAL, "cannot initialize libcurl");
	if (!e) {
		db_set_arena(n->db, n->arena);
		n->is_running = thread_start(&n->thread, "alerts", main_loop, n);
		e = n->is_running ? NULL : err_new(a, ERR_INTERNAL, "cannot start a thread");
	}
	if (e) {
		notify_stop(n);
		return e;
	}
	*ret_notify = n;
	return NULL;
}

void notify_stop(struct notify *n)
{
	if (!n)
		return;
	atomic_store(&n->stop, true);
	if (n->is_running) {
		curl_multi_wakeup(n->multi);
		pthread_join(n->thread, NULL);
	}
	for (size_t i = 0; i < NOTIFY_AT_ONCE; i++) {
		notify_send_end(&n->slots[i].send, n->multi);
		arena_free(n->slots[i].arena);
	}
	if (n->multi)
		curl_multi_cleanup(n->multi);
	db_close(n->db);
	arena_free(n->arena);
	arena_free(n->connection_arena);
}

/* ---- what others ask ----------------------------------------------------------------------------- */

static bool is_address_allowed(const struct notify *n, struct arena *a, struct str host)
{
	const char *text = str_copy(a, host);
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		return webhook_hosts_has_address(n->hosts, (const struct sockaddr *)&v4);
	if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
		return webhook_hosts_has_address(n->hosts, (const struct sockaddr *)&v6);
	return !webhook_hosts_is_only_names(n->hosts); /* checked when connecting */
}

err_t notify_check_host(const struct notify *n, struct arena *a, struct str host)
{
	struct err *e;

	if (webhook_hosts_has_name(n->hosts, host) || is_address_allowed(n, a, host))
		return NULL;
	e = err_field(a, ERR_FORBIDDEN, "url", "alerts may not be sent to \"%.*s\"", STR_ARG(host));
	e->hint = "the server's setting \"webhook_hosts\" lists the allowed hosts";
	return e;
}

void notify_metrics(struct notify *n, struct buf *text)
{
	buf_add_text(text, "# HELP cairn_alerts_tries_total Attempts to send an alert to a "
			   "webhook.\n"
			   "# TYPE cairn_alerts_tries_total counter\n");
	buf_printf(text, "cairn_alerts_tries_total{result=\"sent\"} %llu\n",
		   (unsigned long long)atomic_load(&n->sent));
	buf_printf(text, "cairn_alerts_tries_total{result=\"failed\"} %llu\n",
		   (unsigned long long)atomic_load(&n->failed));
	buf_add_text(text, "# HELP cairn_alerts_given_up_total Alerts dropped after repeated "
			   "failures.\n"
			   "# TYPE cairn_alerts_given_up_total counter\n");
	buf_printf(text, "cairn_alerts_given_up_total %llu\n",
		   (unsigned long long)atomic_load(&n->given_up));
}
