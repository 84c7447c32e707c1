#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"

/*
 * The settings of the server. One table (config.c) makes the environment (CAIRN_<NAME>), the file
 * (name = value), the command line (--name VALUE), --print-config and the manual. Later wins:
 * default, file, environment, command line. Secrets have no command line option.
 */
struct config {
	const char *file; /* that was read; NULL: none */

	const char *data_dir;
	const char *listen;
	const char *port_file;

	const char *database_url;        /* "": the embedded PostgreSQL */
	const char *listen_database_url; /* "": database_url */
	const char *read_database_url;   /* "": database_url */
	int64_t read_lag_ms;
	bool unnamed_statements;
	int64_t database_wait_s;
	const char *pg_bindir;   /* "": searched */
	const char *pg_user;     /* "": searched */
	const char *secret_file; /* "": in the data directory */
	const char *files_dir;   /* "": in the data directory */
	const char *backup_dir;  /* "": in the data directory */
	int64_t upgrade_copies;
	int64_t embedded_upgrade; /* enum config_embedded_upgrade */
	int64_t network_data_dir; /* enum config_network_data_dir */
	int64_t max_file;
	int64_t files_reserve;
	int64_t link_expiry_s;

	int64_t io_threads;
	int64_t disk_threads;
	int64_t workers;
	int64_t write_workers;
	int64_t flushers;
	int64_t queue_limit;
	int64_t connection_limit;
	int64_t live_listeners;
	int64_t client_share;
	bool live_notify;
	int64_t max_body;
	int64_t memory;
	int64_t search_memory;
	int64_t search_fold_ms;
	int64_t search_fold_runs;
	int64_t deadline_ms;
	int64_t idle_timeout_s;
	int64_t body_timeout_s;
	int64_t slowest_bytes_per_s;
	int64_t drain_timeout_s;

	int64_t grace_s;
	int64_t new_names_per_hour;
	int64_t sweep_agent_lost_s;
	int64_t audit_days;
	int64_t audit_entries;
	int64_t entity_quota;

	const char *webhook_hosts;
	int64_t webhook_timeout_s;

	int64_t session_idle_s;
	int64_t session_max_s;
	int64_t hsts_s;
	int64_t sign_in_parallel;
	int64_t sign_in_name_failures;
	int64_t sign_in_address_failures;

	const char *tls_cert_file;
	const char *tls_key_file;
	const char *ca_file;
	const char *trusted_proxies;
	const char *path_prefix;
	const char *public_url;
	const char *cors_origins;
	const char *web_dir;

	int64_t log_level;  /* enum log_level */
	int64_t log_format; /* enum log_format */
};

enum config_embedded_upgrade { CONFIG_EMBEDDED_UPGRADE_MANUAL, CONFIG_EMBEDDED_UPGRADE_AUTO };
enum config_network_data_dir { CONFIG_NETWORK_DATA_DIR_REFUSE, CONFIG_NETWORK_DATA_DIR_ALLOW };

enum config_kind { CONFIG_TEXT, CONFIG_INT, CONFIG_SIZE, CONFIG_BOOL, CONFIG_CHOICE };

struct config_setting {
	const char *name;
	enum config_kind kind;
	size_t offset;
	const char *standard;     /* the default, as written in the file */
	int64_t min, max;         /* of CONFIG_INT and CONFIG_SIZE */
	const char *const *words; /* of CONFIG_CHOICE, NULL-ended; the value is the index */
	bool secret;              /* environment and file only; CAIRN_<NAME>_FILE names a file */
	const char *help;
};

extern const struct config_setting config_settings[];
extern const size_t config_setting_count;

/* NULL when there is none; takes "data_dir" and "data-dir". */
const struct config_setting *config_find(const char *name);

/* "CAIRN_DATA_DIR"; the ending is "" or "_FILE". */
const char *config_variable(struct arena *a, const struct config_setting *setting,
			    const char *ending);

/* A setting given on the command line. */
struct config_override {
	const struct config_setting *setting;
	const char *value;
};

/*
 * Reads defaults, `file` (NULL: CAIRN_CONFIG, or none), the environment and the overrides, and
 * checks settings that depend on each other. Text lives in the arena. ERR_INVALID names the setting
 * and where the value came from.
 */
err_t config_load(struct arena *a, const char *file, const struct config_override *overrides,
		  size_t count, struct config *ret_config) __attribute__((warn_unused_result));

/* Reads a size such as 500G, from 0 to max. */
bool config_read_size(const char *text, int64_t max, int64_t *ret_value);

/* Prints all settings in the form of the file; a secret is only marked as set. */
void config_print(const struct config *config, FILE *out);

/* "1 to 256", "true or false": the allowed values, for the help and the manual. */
const char *config_allowed(struct arena *a, const struct config_setting *setting);

#endif
