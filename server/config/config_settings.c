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
	     "Directory of the server: its secret, files, and the embedded database. Default: /var/lib/cairn "
	     "for root, else $XDG_DATA_HOME/cairn or ~/.local/share/cairn."),
	TEXT(listen, "127.0.0.1:8080",
	     "Address and port to listen on: 127.0.0.1:8080, [::1]:8080, :8080 for all addresses. "
	     "Port 0 takes a free one."),
	TEXT(port_file, "", "File that the port is written to once the server listens."),
	SECRET(database_url,
	       "Connection string or URI of a PostgreSQL database. Default: an embedded PostgreSQL "
	       "under data_dir."),
	SECRET(listen_database_url,
	       "The same, to PostgreSQL itself, for what needs a session of its own: migrations, the "
	       "commands of cairnd, live_notify. Needed where database_url leads to a pooler in transaction mode. "
	       "Default: database_url."),
	SECRET(read_database_url,
	       "The same, to one streaming replica of the database: charts, exports and lists of keys are "
	       "read there while it is no more than read_lag_ms behind. Default: none."),
	INT(read_lag_ms, "5000", 500, 60000,
	    "Milliseconds that what is read from the replica may be old; beyond it database_url is read."),
	BOOL(unnamed_statements, "false",
	     "Prepare no statements on the database: for poolers in transaction mode that know none "
	     "(PgBouncer before 1.21)."),
	INT(database_wait_s, "30", 0, 3600,
	    "Seconds to wait at the start for a database that does not answer yet."),
	TEXT(pg_bindir, "",
	     "Directory of PostgreSQL's programs for the embedded database. Default: the newest "
	     "installed."),
	TEXT(pg_user, "",
	     "User that the embedded PostgreSQL runs as when the server is started by root. Default: "
	     "cairn, postgres or nobody, the first there is."),
	TEXT(secret_file, "",
	     "File with the secret that API keys are hashed with; made at the first start. All "
	     "servers of one database need the same. Default: secret in data_dir."),
	TEXT(files_dir, "",
	     "Folder with the files of runs. All servers of one database need the same one. Default: files "
	     "in data_dir."),
	TEXT(backup_dir, "",
	     "Folder for the copies of the database that are made before an upgrade and before a rollback. Default: "
	     "backups in data_dir."),
	INT(upgrade_copies, "3", 0, 1000,
	    "How many of them are kept, of each kind; older ones are removed when a new one is whole. 0: none is made, and "
	    "an upgrade cannot be undone."),
	CHOICE(embedded_upgrade, "manual", upgrade_ways,
	       "What happens at the start to an embedded database of an older major version of PostgreSQL than the newest "
	       "installed: manual, it is used with its own version; auto, \"cairnd embedded upgrade\" is done first."),
	CHOICE(network_data_dir, "refuse", network_ways,
	       "What happens at the start when an embedded database is on a network file system (NFS, SMB, Lustre, GPFS, "
	       "BeeGFS, Ceph, AFS): refuse, the server does not start; allow, it starts. Allow it only where the file "
	       "system is mounted hard and synchronously, and one host at a time uses data_dir."),
	SIZE(max_file, "16G", 1 << 10, INT64_C(1) << 50, "Largest file that is taken."),
	SIZE(files_reserve, "256M", 0, INT64_C(1) << 50,
	     "What stays free on the disk of files_dir; a file without room is answered 503. Also on the disk of "
	     "backup_dir when the database is copied before an upgrade."),
	INT(link_expiry_s, "86400", 10, 31536000,
	    "Seconds that a link to upload or download a file works."),
	INT(io_threads, "2", 1, 64, "Threads that read requests and write answers."),
	INT(disk_threads, "4", 2, 64,
	    "Threads that write files that come and read files that are sent; one of them only writes."),
	INT(workers, "16", 1, 256,
	    "Worker threads, which handle requests; each holds one database connection."),
	INT(write_workers, "4", 0, 255,
	    "Of the workers, those kept for requests that write, so that slow reads never stop writers; "
	    "one at least is left for all others."),
	INT(flushers, "1", 1, 32,
	    "Threads that write what clients log; each holds one database connection. One stores more "
	    "batches with each commit than several do."),
	INT(queue_limit, "1024", 1, 100000,
	    "Requests that may wait for a worker, reading and writing ones each; more are answered 503 with Retry-After."),
	INT(connection_limit, "4096", 1, 100000, "Open connections of clients."),
	INT(live_listeners, "1000", 16, 100000,
	    "Runs and projects that may be followed live at once, by all connections: a browser's takes one "
	    "for each project that its tabs show, 16 at most. More are answered 503 with Retry-After."),
	INT(client_share, "75", 1, 100,
	    "Percent of connection_limit that one address may have, and of live_listeners and of "
	    "queue_limit for reads that one address or one user may have, so that one client cannot take "
	    "all; more are answered 503. Trusted proxies are exempt, their clients are not. 100: no share."),
	BOOL(live_notify, "true",
	     "Hear from other servers of the database, and tell them, at once what was stored, by a "
	     "connection to listen_database_url; false: listeners see it within a second."),
	SIZE(max_body, "64M", 64 << 10, INT64_C(1) << 30,
	     "Largest body of a request, after decompression."),
	SIZE(memory, "1G", 8 * MIB, INT64_C(1) << 40,
	     "Memory for all that clients make the server hold: requests until they are stored, answers, "
	     "connections, search_memory. A request without room is answered 503 with Retry-After."),
	SIZE(search_memory, "256M", 0, INT64_C(1) << 40,
	     "Of it, for columns of what is searched, of all projects together. Projects that do not "
	     "fit are searched by the database; 0: all are."),
	INT(search_fold_ms, "200", 0, 60000,
	    "Milliseconds for which a list, a group or a count of runs brings in what was stored and is not searched yet; "
	    "an answer without all of it says how old it is."),
	INT(search_fold_runs, "2000", 0, 1000000, "Runs that it brings in at most."),
	INT(deadline_ms, "30000", 100, 3600000,
	    "Milliseconds a request may take, in the queue and in the database too."),
	INT(idle_timeout_s, "75", 1, 3600, "Seconds after which an idle connection is closed."),
	INT(body_timeout_s, "900", 1, 86400,
	    "Seconds that a request may take to come in, however steadily it does."),
	INT(slowest_bytes_per_s, "4096", 0, 1 << 30,
	    "Bytes a second that a client must send of a request, or take of an answer, over twice "
	    "idle_timeout_s; slower ones are cut off."),
	INT(drain_timeout_s, "20", 0, 3600,
	    "Seconds that requests under way may take when the server stops."),
	INT(grace_s, "2592000", 0, INT64_C(315360000),
	    "Seconds that a deleted run or project can be restored; then what it had is given up."),
	INT(new_names_per_hour, "20000", 0, 100000,
	    "New names of metrics that one run may bring to its project in an hour; values under further new names are left "
	    "out. 0: no limit."),
	INT(audit_days, "365", 1, 36500,
	    "Days that the audit log goes back: who did what, for admins of the server."),
	INT(audit_entries, "1000000", 1000, INT64_C(1000000000),
	    "Entries that it has at most; the oldest make room."),
	SIZE(entity_quota, "0", 0, INT64_C(1) << 53,
	     "What an entity's runs may take before it gets no new ones, where it has no quota of its "
	     "own; 0 for no limit."),
	TEXT(webhook_hosts, "external",
	     "Where the alerts of projects may be sent, separated by commas: hosts (chat.example.org, "
	     "*.example.org), addresses and networks (10.1.0.0/16), external for all addresses that are neither "
	     "private nor this machine's or its network's, * for all. Empty: nowhere."),
	INT(webhook_timeout_s, "10", 1, 30, "Seconds that one try to send an alert may take."),
	INT(session_idle_s, "604800", 60, INT64_C(315360000),
	    "Seconds after which somebody who signed in with a password has to do so again, if nothing "
	    "was asked meanwhile."),
	INT(session_max_s, "2592000", 60, INT64_C(315360000),
	    "Seconds after which they have to in any case."),
	INT(sign_in_parallel, "2", 1, 64,
	    "Passwords that are looked at at a time, each with 64 MiB of memory; more are answered 503 "
	    "with Retry-After."),
	INT(sign_in_name_failures, "10", 1, 100000,
	    "Wrong passwords for a name in a quarter of an hour; more tries are answered 429 with "
	    "Retry-After, right or wrong. Browsers that have signed in by the name before have a count of their "
	    "own each. Counted by each server for itself, as the next."),
	INT(sign_in_address_failures, "50", 1, 100000,
	    "The same from one address, of IPv6 from one network of 64 bits."),
	TEXT(tls_cert_file, "", "Certificate chain for TLS (PEM); with tls_key_file."),
	TEXT(tls_key_file, "",
	     "Private key for TLS (PEM); with tls_cert_file. Both files are read again at SIGHUP and when they change."),
	TEXT(ca_file, "",
	     "Certificates (PEM) of the authorities that the hosts of webhooks are verified by, instead of the system's. "
	     "The database's authority is sslrootcert in database_url."),
	INT(hsts_s, "31536000", 0, INT64_C(315360000),
	    "Seconds that browsers which came by https, also to a trusted proxy, use nothing but https for this "
	    "host (Strict-Transport-Security); 0: they are not asked to."),
	TEXT(trusted_proxies, "",
	     "Addresses and networks, separated by commas, whose X-Forwarded-For, -Host, -Proto and "
	     "-Prefix are believed."),
	TEXT(path_prefix, "", "Path that all URLs begin with, such as /cairn."),
	TEXT(public_url, "",
	     "How clients write this server, such as https://cairn.example.org/cairn: what links to "
	     "files begin with. Default: by the Host of the request, or what a trusted proxy says."),
	TEXT(cors_origins, "",
	     "Origins, separated by commas, whose pages may call the server; * for all. Default: "
	     "none."),
	TEXT(web_dir, "",
	     "Folder that the files of the web page are read from at every request, for who works on them; "
	     "links in it are not followed. Default: those compiled in."),
	CHOICE(log_level, "info", log_levels, "Least level of the log lines that are written."),
	CHOICE(log_format, "text", log_formats, "Form of the log lines."),
};
const size_t config_setting_count = sizeof(config_settings) / sizeof(config_settings[0]);
