/*
 * nfs.c - "nfs.read" and "nfs.written": bytes between this host and its NFS servers since the start.
 *
 * From the mounts of the process, each export once however often it is mounted. Reading the
 * statistics asks no server, so it cannot hang.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "proc_file.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define EXPORTS_MAX 256
#define SERVER_READ_FIELD 5 /* of the line "bytes:", counted from 1 */
#define BYTES_PER_MIB 1048576.0

struct nfs_export {
	uint64_t hash; /* of its name */
	unsigned pass; /* in which it was last there */
	struct counter read, written;
};

struct nfs {
	char path[SETTINGS_ROOT_MAX + 32];
	struct proc_lines lines;
	unsigned pass;
	uint64_t read_bytes, written_bytes;
	atomic_size_t export_count; /* also read by explain, in another thread */
	struct nfs_export exports[EXPORTS_MAX];
};

static uint64_t hash_of(const char *name, size_t length)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
	return hash;
}

/* "device server:/home mounted on /home with fstype nfs4 statvers=1.1"; 0 for other file systems. */
static uint64_t export_of(const char *line)
{
	static const char word[] = "device ";

	if (strncmp(line, word, strlen(word)) != 0 || !strstr(line, " with fstype nfs"))
		return 0;
	const char *name = line + strlen(word);
	const char *end = strstr(name, " mounted on ");
	return end ? hash_of(name, (size_t)(end - name)) : 0;
}

/* NULL when it was counted in this pass already, or there is no room. */
static struct nfs_export *take_export(struct nfs *nfs, uint64_t hash, bool *ret_is_new)
{
	*ret_is_new = false;
	for (size_t i = 0; i < nfs->export_count; i++) {
		struct nfs_export *known = &nfs->exports[i];
		if (known->hash == hash)
			return known->pass == nfs->pass ? NULL : known;
	}
	size_t count = nfs->export_count;
	if (count == EXPORTS_MAX)
		return NULL;
	*ret_is_new = true;
	nfs->exports[count] = (struct nfs_export){ .hash = hash };
	nfs->export_count = count + 1;
	return &nfs->exports[count];
}

static bool read_bytes(const char *line, uint64_t *ret_read, uint64_t *ret_written)
{
	const char *at = strstr(line, "bytes:");

	if (!at)
		return false;
	at += strlen("bytes:");
	for (int field = 1; field < SERVER_READ_FIELD; field++)
		at = proc_skip_word(at);
	return proc_number(&at, ret_read) && proc_number(&at, ret_written);
}

static void count(struct nfs *nfs, uint64_t hash, uint64_t read, uint64_t written)
{
	bool is_new;
	struct nfs_export *export = take_export(nfs, hash, &is_new);

	if (!export)
		return;
	export->pass = nfs->pass;
	if (is_new) {
		counter_begin(&export->read, read);
		counter_begin(&export->written, written);
		return;
	}
	nfs->read_bytes += counter_update(&export->read, read);
	nfs->written_bytes += counter_update(&export->written, written);
}

static void read_exports(struct nfs *nfs)
{
	uint64_t hash = 0, read, written;
	char *line;

	if (!proc_lines_open(&nfs->lines, nfs->path))
		return;
	nfs->pass++;
	while ((line = proc_lines_next(&nfs->lines)) != NULL) {
		if (strncmp(line, "device ", 7) == 0)
			hash = export_of(line);
		else if (hash != 0 && read_bytes(line, &read, &written))
			count(nfs, hash, read, written);
	}
	proc_lines_close(&nfs->lines);
}

static int nfs_open(const struct settings *settings, void **ret_state)
{
	struct nfs *nfs = calloc(1, sizeof *nfs);

	*ret_state = nfs;
	if (!nfs)
		return ENOMEM;
	if (!proc_path(nfs->path, sizeof nfs->path, settings->proc_root, "%d/mountstats",
		       (int)settings->pid))
		nfs->path[0] = '\0';
	read_exports(nfs);
	return 0;
}

static void nfs_sample(void *state, const struct sample *sample)
{
	struct nfs *nfs = state;

	read_exports(nfs);
	if (nfs->export_count == 0)
		return;
	sample_row_add(sample->row, "nfs.read", (double)nfs->read_bytes / BYTES_PER_MIB);
	sample_row_add(sample->row, "nfs.written", (double)nfs->written_bytes / BYTES_PER_MIB);
}

static void nfs_explain(void *state, const struct settings *settings,
			struct source_reason *ret_reason)
{
	const struct nfs *nfs = state;

	(void)settings;
	ret_reason->is_found = nfs->export_count > 0;
	if (ret_reason->is_found)
		source_reason_set(ret_reason, "%zu exports", (size_t)nfs->export_count);
	else
		source_reason_set(ret_reason, "no NFS mount in %s", nfs->path);
}

const struct source source_nfs = {
	.name = "nfs",
	.open = nfs_open,
	.sample = nfs_sample,
	.explain = nfs_explain,
	.close = free,
};
