/* The table of settings. A new one is a row here and a member of struct config. */
#include "config.h"

static const char *const log_levels[] = { "debug", "info", "warning", "error", NULL };
static const char *const upgrade_ways[] = { "manual", "auto", NULL };
static const char *const network_ways[] = { "refuse", "allow", NULL };
static const char *const log_formats[] = { "text", "json", NULL };

/* clang-format off */
#define TEXT(member, standard_, help_) \
	{ #member, CONFIG_TEXT, offsetof(struct config, member), (standard_), .help = (help_) }
#define SECRET(member, help_) \
	{ #member, CONFIG_TEXT, offsetof(struct config, member), "", .secret = true, .help = (help_) }
#define BOOL(member, standard_, help_) \
	{ #member, CONFIG_BOOL, offsetof(struct config, member), (standard_), .help = (help_) }
#define INT(member, standard_, min_, max_, help_) \
	{ #member, CONFIG_INT, offsetof(struct config, member), (standard_), \
	  .min = (min_), .max = (max_), .help = (help_) }
#define SIZE(member, standard_, min_, max_, help_) \
	{ #member, CONFIG_SIZE, offsetof(struct config, member), (standard_), \
	  .min = (min_), .max = (max_), .help = (help_) }
#define CHOICE(member, standard_, words_, help_) \
	{ #member, CONFIG_CHOICE, offsetof(struct config, member), (standard_), \
	  .words = (words_), .help = (help_) }
/* clang-format on */

#define MIB INT64_C(1048576)

const struct config_setting config_settings[] = {
	TEXT(data_dir, "",
	     "Directory of the server: its secret, run files and embedded database. Default: "
	     "/var/lib/cairn for root, else $XDG_DATA_HOME/cairn or ~/.local/share/cairn."),
	TEXT(listen, "127.0.0.1:8080",
	     "Address and port to listen on: 127.0.0.1:8080, [::1]:8080, or :8080 for all "
	     "addresses. Port 0 selects a free port."),
	TEXT(port_file, "", "File to which the port is written once the server listens."),
	SECRET(database_url,
	       "Connection string or URI of a PostgreSQL database. Default: an embedded PostgreSQL "
	       "under data_dir."),
	SECRET(listen_database_url,
	       "The same, but directly to PostgreSQL, for work that needs its own session: "
	       "migrations, the commands of cairnd, live_notify. Required if database_url leads "
	       "to a pooler in transaction mode. Default: database_url."),
	SECRET(read_database_url,
	       "Connection string of a streaming replica of the database. Charts, exports and "
	       "lists of keys are read from it while it lags no more than read_lag_ms. Default: "
	       "none."),
	INT(read_lag_ms, "5000", 500, 60000,
	    "Largest lag of the replica in milliseconds; above it, database_url is read."),
	BOOL(unnamed_statements, "false",
	     "Do not prepare statements, for poolers in transaction mode that do not support "
	     "them (PgBouncer before 1.21)."),
	INT(database_wait_s, "30", 0, 3600,
	    "Seconds to wait at startup for a database that does not answer yet."),
	TEXT(pg_bindir, "",
	     "Directory of the PostgreSQL programs for the embedded database. Default: the "
	     "newest version installed."),
	TEXT(pg_user, "",
	     "User that runs the embedded PostgreSQL if the server is started by root. Default: "
	     "the first that exists of cairn, postgres and nobody."),
	TEXT(secret_file, "",
	     "File with the secret used to hash API keys; created at the first start. All "
	     "servers of a database need the same secret. Default: secret in data_dir."),
	TEXT(files_dir, "",
	     "Directory of run files. All servers of a database need the same directory. "
	     "Default: files in data_dir."),
	TEXT(backup_dir, "",
	     "Directory for the copies of the database made before an upgrade or a rollback. "
	     "Default: backups in data_dir."),
	INT(upgrade_copies, "3", 0, 1000,
	    "Number of copies of each kind to keep; older ones are removed once a new copy is "
	    "complete. 0: no copy is made, and an upgrade cannot be undone."),
	CHOICE(embedded_upgrade, "manual", upgrade_ways,
	       "What to do at startup if the embedded database is of an older major version of "
	       "PostgreSQL than the newest installed: manual, keep using its version; auto, run "
	       "\"cairnd embedded upgrade\" first."),
	CHOICE(network_data_dir, "refuse", network_ways,
	       "What to do at startup if the embedded database is on a network file system (NFS, "
	       "SMB, Lustre, GPFS, BeeGFS, Ceph, AFS): refuse to start, or allow it. Allow it "
	       "only if the file system is mounted hard and synchronously and only one host uses "
	       "data_dir at a time."),
	SIZE(max_file, "16G", 1 << 10, INT64_C(1) << 50, "Largest file accepted."),
	SIZE(files_reserve, "256M", 0, INT64_C(1) << 50,
	     "Space to keep free on the disk of files_dir; uploads that do not fit get status "
	     "503. Also applies to the disk of backup_dir when the database is copied before an "
	     "upgrade."),
	INT(link_expiry_s, "86400", 10, 31536000,
	    "Lifetime in seconds of links to upload or download a file."),
	INT(io_threads, "2", 1, 64, "Threads that read requests and write responses."),
	INT(disk_threads, "4", 2, 64,
	    "Threads that write uploaded files and read downloaded files; one of them only "
	    "writes."),
	INT(workers, "16", 1, 256,
	    "Worker threads, which handle requests; each holds one database connection."),
	INT(write_workers, "4", 0, 255,
	    "Workers reserved for requests that write, so that slow reads never block writers; "
	    "at least one worker remains for all other requests."),
	INT(flushers, "1", 1, 32,
	    "Threads that store logged data; each holds one database connection. One thread "
	    "stores more batches per commit than several do."),
	INT(queue_limit, "1024", 1, 100000,
	    "Requests that may wait for a worker, counted separately for reads and writes; more "
	    "get status 503 with Retry-After."),
	INT(connection_limit, "4096", 1, 100000, "Open client connections."),
	INT(live_listeners, "1000", 16, 100000,
	    "Runs and projects that may be followed live at once, over all connections. A "
	    "browser connection takes one for each project shown in its tabs, at most 16. More "
	    "get status 503 with Retry-After."),
	INT(client_share, "75", 1, 100,
	    "Percentage of connection_limit available to one address, and of live_listeners and "
	    "queue_limit (for reads) available to one address or user, so that one client cannot "
	    "use everything; more get status 503. Trusted proxies are exempt, but their clients "
	    "are not. 100: no limit per client."),
	BOOL(live_notify, "true",
	     "Exchange notifications about new data with the other servers of the database at "
	     "once, over a connection to listen_database_url. false: listeners see new data "
	     "within a second."),
	SIZE(max_body, "64M", 64 << 10, INT64_C(1) << 30,
	     "Largest body of a request, after decompression."),
	SIZE(memory, "1G", 8 * MIB, INT64_C(1) << 40,
	     "Memory for everything held for clients: requests until they are stored, responses, "
	     "connections, search_memory. A request that does not fit gets status 503 with "
	     "Retry-After."),
	SIZE(search_memory, "256M", 0, INT64_C(1) << 40,
	     "Part of memory used for searchable columns of all projects. Projects that do not "
	     "fit are searched by the database. 0: all projects are."),
	INT(search_fold_ms, "200", 0, 60000,
	    "Milliseconds that a list, group or count of runs spends on adding stored runs that "
	    "are not yet searchable; an incomplete response contains its age."),
	INT(search_fold_runs, "2000", 0, 1000000, "Largest number of runs added this way."),
	INT(deadline_ms, "30000", 100, 3600000,
	    "Timeout of a request in milliseconds, including the time in the queue and in the "
	    "database."),
	INT(idle_timeout_s, "75", 1, 3600, "Seconds after which an idle connection is closed."),
	INT(body_timeout_s, "900", 1, 86400,
	    "Seconds within which a request must have been received completely."),
	INT(slowest_bytes_per_s, "4096", 0, 1 << 30,
	    "Lowest transfer rate in bytes per second, of requests and responses, measured over "
	    "twice idle_timeout_s; slower clients are disconnected."),
	INT(drain_timeout_s, "20", 0, 3600,
	    "Seconds to wait for requests in progress when the server stops."),
	INT(grace_s, "2592000", 0, INT64_C(315360000),
	    "Seconds for which a deleted run or project can be restored; then its data is purged."),
	INT(new_names_per_hour, "20000", 0, 100000,
	    "New metric names that one run may add to its project per hour; values of further "
	    "new names are dropped. 0: no limit."),
	INT(sweep_agent_lost_s, "300", 30, 86400,
	    "Seconds without a heartbeat after which an agent of a sweep is lost; trials of it "
	    "that have no run are given again."),
	INT(audit_days, "365", 1, 36500,
	    "Days for which entries of the audit log are kept. Admins of the server can read it."),
	INT(audit_entries, "1000000", 1000, INT64_C(1000000000),
	    "Largest number of entries in the audit log; the oldest are removed."),
	SIZE(entity_quota, "0", 0, INT64_C(1) << 53,
	     "Default storage quota of an entity that has no quota of its own; no new runs are "
	     "accepted beyond it. 0: no limit."),
	TEXT(webhook_hosts, "external",
	     "Destinations allowed for alerts of projects, separated by commas: hosts "
	     "(chat.example.org, *.example.org), addresses and networks (10.1.0.0/16), external "
	     "for all addresses except private and local ones, * for all. Empty: none."),
	INT(webhook_timeout_s, "10", 1, 30, "Timeout in seconds of one attempt to send an alert."),
	INT(session_idle_s, "604800", 60, INT64_C(315360000),
	    "Seconds of inactivity after which a user who signed in with a password must sign in "
	    "again."),
	INT(session_max_s, "2592000", 60, INT64_C(315360000),
	    "Seconds after which such a user must sign in again in any case."),
	INT(sign_in_parallel, "2", 1, 64,
	    "Passwords checked at the same time, each with 64 MiB of memory; more get status 503 "
	    "with Retry-After."),
	INT(sign_in_name_failures, "10", 1, 100000,
	    "Wrong passwords allowed for a name per 15 minutes; further attempts, right or "
	    "wrong, get status 429 with Retry-After. Browsers that have signed in under this "
	    "name before are counted separately. Each server counts for itself, also for the "
	    "next setting."),
	INT(sign_in_address_failures, "50", 1, 100000,
	    "Wrong passwords allowed from one address, or one 64-bit network of IPv6, per 15 "
	    "minutes."),
	TEXT(tls_cert_file, "", "Certificate chain for TLS (PEM); requires tls_key_file."),
	TEXT(tls_key_file, "",
	     "Private key for TLS (PEM); requires tls_cert_file. Both files are read again at "
	     "SIGHUP and when they change."),
	TEXT(ca_file, "",
	     "Certificates (PEM) of the authorities used to verify webhook hosts, instead of the "
	     "system's. For the database, use sslrootcert in database_url."),
	INT(hsts_s, "31536000", 0, INT64_C(315360000),
	    "Seconds for which browsers that connected over https, also through a trusted proxy, "
	    "use only https for this host (Strict-Transport-Security). 0: off."),
	TEXT(trusted_proxies, "",
	     "Addresses and networks, separated by commas, whose X-Forwarded-For, -Host, -Proto "
	     "and -Prefix headers are trusted."),
	TEXT(path_prefix, "", "Path prefix of all URLs, such as /cairn."),
	TEXT(public_url, "",
	     "URL under which clients reach this server, such as "
	     "https://cairn.example.org/cairn; used in links to files and in one-time "
	     "links. Default: taken from the "
	     "Host header of the request or from a trusted proxy."),
	TEXT(cors_origins, "",
	     "Origins, separated by commas, whose pages may call the server; * for all. Default: "
	     "none."),
	TEXT(web_dir, "",
	     "Directory from which the files of the web page are read at every request, for "
	     "development; links in it are not followed. Default: the files compiled into the "
	     "server."),
	CHOICE(log_level, "info", log_levels, "Lowest level of log lines to write."),
	CHOICE(log_format, "text", log_formats, "Format of the log lines."),
};
const size_t config_setting_count = sizeof(config_settings) / sizeof(config_settings[0]);
