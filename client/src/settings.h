#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cairn.h"

#define SETTINGS_ERROR_SIZE 320
#define SETTINGS_CLIENT_ID_MAX 64
#define SETTINGS_LABEL_MAX 128

enum settings_mode {
	MODE_ONLINE,
	MODE_OFFLINE, /* everything into the spool, nothing to the network */
	MODE_DISABLED /* nothing at all */
};

/* When and where unsent data goes to disk. */
struct spool_settings {
	bool is_on;            /* CAIRN_SPOOL */
	char *path;            /* CAIRN_SPOOL_DIR, absolute */
	int after_ms;          /* CAIRN_SPOOL_AFTER_MS: data that was not sent for so long */
	int64_t after_bytes;   /* CAIRN_SPOOL_AFTER_MIB: or if more waits */
	uint64_t max_bytes;    /* CAIRN_SPOOL_MAX_GIB: of the spool of one process */
	double reserve_part;   /* CAIRN_SPOOL_RESERVE: of the disk that stays free, */
	int64_t reserve_bytes; /* or bytes, whichever is less */
};

/* Options with the environment, the login file and the defaults filled in. Text is never NULL but
 * where it says so. */
struct settings {
	enum settings_mode mode;
	char *url;     /* without a slash at the end. NULL: not set, and not needed in this mode */
	char *api_key; /* likewise */
	char *ca_file; /* NULL: the system's */
	char *entity;  /* NULL: the user's default, which the server knows */
	char *project;
	char *run_id;
	char *client_id;
	char *label;
	char *parent; /* NULL: none */
	enum cairn_role role;
	char *display_name, *group, *job_type, *tags, *notes; /* NULL: not set */
	char *config_json;
	double sample_interval_s;
	int sample_pid;
	char *sample_disks, *sample_gpus, *sample_devices;
	char *open_metrics, *open_metrics_filters, *open_metrics_headers;
	int64_t buffer_bytes;
	int flush_interval_ms, request_timeout_ms, exit_timeout_ms;
	int retry_max_ms;       /* CAIRN_RETRY_MAX_MS: the longest wait between two tries */
	bool has_own_client_id; /* the client id is set, and may have been used before */
	struct spool_settings spool;
};

/* CAIRN_OK, CAIRN_INVALID, CAIRN_SETUP or CAIRN_MEMORY with a sentence in `error`. What was filled
 * is to be given to settings_deinit() in every case. */
int settings_load(const struct cairn_options *options, struct settings *settings,
		  char error[static SETTINGS_ERROR_SIZE]) __attribute__((nonnull(2, 3)));

/* The mode alone, of the option or the environment. CAIRN_OK, or CAIRN_INVALID with a sentence in `error`. */
int settings_load_mode(const struct cairn_options *options, enum settings_mode *ret_mode,
		       char error[static SETTINGS_ERROR_SIZE]) __attribute__((nonnull));

/* Only what it takes to speak to the server: url, key, CA file, entity, project. A missing key is no
 * error for those who can do without, as `cairn show` of a public project. */
enum settings_key { SETTINGS_KEY_NEEDED, SETTINGS_KEY_OPTIONAL };
int settings_load_server(const struct cairn_options *options, enum settings_key key,
			 struct settings *settings, char error[static SETTINGS_ERROR_SIZE])
	__attribute__((nonnull(1, 3, 4)));

void settings_deinit(struct settings *settings) __attribute__((nonnull));

#endif
