#ifndef NOTIFY_H
#define NOTIFY_H

#include "buf.h"
#include "db.h"
#include "key.h"
#include "str.h"

/*
 * Sends alerts to the webhooks of their projects: the only part of the server that connects to
 * other hosts. One thread and one connection to the database; a webhook that is slow or dead holds
 * nothing but its own alerts.
 *
 *	take     one that is due, for NOTIFY_LEASE_US: other servers leave it alone until then
 *	send     at most NOTIFY_AT_ONCE at a time, one of a project, timeout_ms each
 *	record   sent, or when it is tried again, or given up
 *
 * A server that dies while it sends has its alerts sent by another when the lease is over: so one may come
 * twice, with one name (Cairn-Delivery), and none is lost.
 */
struct notify;

enum { NOTIFY_AT_ONCE = 16 };
#define NOTIFY_LEASE_US (INT64_C(60) * 1000000)

struct notify_options {
	struct db_options database;
	const struct key_secret *secret; /* lives as long */
	const char *hosts;               /* the setting; see webhook_hosts.h */
	const char *public_url;          /* of this server; "": not known */
	const char *ca_file;             /* PEM: authorities to trust; "": the system's */
	long timeout_ms;                 /* of one try; less than the lease */
};

err_t notify_start(struct arena *a, const struct notify_options *options,
		   struct notify **ret_notify) __attribute__((warn_unused_result));
void notify_stop(struct notify *notify);

/* ERR_FORBIDDEN if alerts may not be sent to this host, by its name or its address. */
err_t notify_check_host(const struct notify *notify, struct arena *a, struct str host)
	__attribute__((warn_unused_result));

/* Prometheus text. */
void notify_metrics(struct notify *notify, struct buf *text);

#endif
