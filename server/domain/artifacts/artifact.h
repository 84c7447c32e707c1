#ifndef ARTIFACT_H
#define ARTIFACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "err.h"
#include "str.h"

/*
 * Artifacts: versioned collections of files. A project has collections of two kinds. A sequence has the versions that were
 * made in it; a portfolio has versions of sequences, of any project, that were linked into it. A version is made as a draft,
 * gets its files, and is committed; then its files and its number never change.
 *
 *	(asked for) ──► pending ──► committed ──► deleted
 *	                   └── given up: the job removes it after ARTIFACT_DRAFT_KEPT_US without a request
 *
 * Numbers and aliases belong to a collection: one version has a number and aliases in its sequence, and others in each
 * portfolio. Everything of a collection changes under the lock of its row.
 */
enum artifact_kind { ARTIFACT_SEQUENCE = 1, ARTIFACT_PORTFOLIO = 2 };
enum artifact_state { ARTIFACT_PENDING = 1, ARTIFACT_COMMITTED = 2, ARTIFACT_DELETED = 3 };
enum artifact_way { ARTIFACT_INPUT = 1, ARTIFACT_OUTPUT = 2 };
enum artifact_client_kind { ARTIFACT_CLIENT_VERSION = 1, ARTIFACT_CLIENT_SEQUENCE = 2 };
enum artifact_manifest_kind {
	ARTIFACT_MANIFEST_WHOLE = 1, /* FULL */
	ARTIFACT_MANIFEST_ADDED = 2, /* INCREMENTAL: added to the entries of base_id */
	ARTIFACT_MANIFEST_PART = 3,  /* PATCH: the entries of one of many processes */
	ARTIFACT_MANIFEST_MERGED = 4,
	ARTIFACT_MANIFEST_LISTED = 5, /* references that were added one by one (REST) */
};

enum {
	/* in characters */
	ARTIFACT_NAME_MAX = 128, /* also of a type, an alias and a client id */
	ARTIFACT_TAG_MAX = 64,
	ARTIFACT_DISTRIBUTED_MAX = 256,
	/* in number */
	ARTIFACT_TAGS_MAX = 100,
	ARTIFACT_ALIASES_MAX = 100,        /* of one request */
	ARTIFACT_BOUND_ALIASES_MAX = 1000, /* of a version in one collection, and of a draft */
	/* in bytes */
	ARTIFACT_DESCRIPTION_MAX = 64 << 10,
	ARTIFACT_METADATA_MAX = 1 << 20,
	ARTIFACT_REF_MAX = 8 << 10,
	ARTIFACT_EXTRA_MAX = 64 << 10,
	ARTIFACT_DIGEST_MAX = 1024,
	ARTIFACT_CONFIG_MAX = 4 << 10,
	ARTIFACT_ENTRIES_MAX = 2000000, /* of a manifest */
	ARTIFACT_FREED_ENTRIES_MAX =
		2000000, /* of versions whose bytes are counted before they are deleted */
	ARTIFACT_FREED_VERSIONS_MAX = 100000, /* that are counted when a collection is deleted */
	ARTIFACT_OPEN_UPLOADS_MAX = 10000,    /* in parts, of a draft */
	ARTIFACT_KEEP_LAST_MAX = 1000000,
	ARTIFACT_PAGE_BYTES = 16 << 20, /* of metadata and descriptions in a page of versions */
	ARTIFACT_USED_AS_MAX = 512,     /* bytes */
};
#define ARTIFACT_SIZE_MAX (INT64_C(1) << 53)
#define ARTIFACT_TTL_INHERIT (-1) /* as the collection */
#define ARTIFACT_TTL_NONE 0       /* it never expires */
#define ARTIFACT_TTL_MAX_S (INT64_C(36500) * 86400)
#define ARTIFACT_DRAFT_KEPT_US (INT64_C(7) * 86400 * 1000000)
#define ARTIFACT_UNDO_US (INT64_C(600) * 1000000) /* so long a deletion can be undone */
#define ARTIFACT_BLOB_HELD_US \
	(INT64_C(300) * 1000000)                    /* so long an unnamed blob is kept at least */
#define ARTIFACT_GRACE_US (INT64_C(1200) * 1000000) /* and then its content */
#define ARTIFACT_FREED_US \
	(ARTIFACT_UNDO_US + ARTIFACT_BLOB_HELD_US + ARTIFACT_GRACE_US + INT64_C(600) * 1000000)
#define ARTIFACT_LATEST "latest"

/* Versions of which runs are asked for. */
enum artifact_sees { ARTIFACT_SEES_PUBLIC, ARTIFACT_SEES_PRIVATE };

struct artifact_type {
	struct str name;
	struct str description;
	timestamp_us created_at;
	int64_t collections; /* that are not deleted */
	int64_t versions;    /* committed ones in sequences */
	int64_t size_bytes;  /* their sum, as if nothing was shared */
};

struct artifact_collection {
	int64_t project_id;
	int64_t collection_id;
	int16_t kind;    /* enum artifact_kind */
	struct str name; /* also of a deleted one: the name that it had */
	struct str type;
	struct str description; /* .at == NULL: none */
	struct str tags;        /* a JSON array of texts */
	int64_t ttl_s;          /* of its versions; ARTIFACT_TTL_NONE */
	int32_t keep_last;      /* 0: all */
	int32_t next_version;
	int64_t created_by; /* 0: not known */
	struct str user;    /* their name; empty: not known, or deleted */
	timestamp_us created_at;
	timestamp_us changed_at;
	timestamp_us deleted_at; /* 0: it is there */
};

/* A version or the draft of one, with names of its sequence. */
struct artifact {
	int64_t project_id;
	int64_t artifact_id;
	int64_t collection_id; /* its sequence */
	struct str collection;
	struct str type;
	int64_t collection_ttl_s;
	int64_t base_id; /* 0: none */
	struct str distributed;
	struct str region;
	bool has_history_step;
	int64_t history_step;
	int64_t run_id;  /* that made it; 0: none */
	bool is_private; /* that run is: only those who see it see the version */
	int64_t user_id;
	struct str user; /* empty: not known, or deleted */
	timestamp_us created_at;
	int16_t state;     /* enum artifact_state; deleted, too, when its collection was deleted */
	bool has_version;  /* it was committed */
	int32_t version;   /* in its sequence */
	struct str digest; /* of the manifest, in hex */
	int64_t manifest_id; /* 0: none yet */
	int64_t size_bytes;
	int64_t file_count; /* references, too */
	timestamp_us committed_at;
	struct str asked;       /* a JSON array of aliases, see 0021_artifacts.sql */
	struct str description; /* .at == NULL: none */
	struct str metadata;    /* JSON, an object; .at == NULL: none */
	struct str tags;        /* a JSON array of texts */
	struct str aliases;     /* a JSON array: those in its sequence, "latest" first */
	int64_t ttl_s; /* ARTIFACT_TTL_INHERIT, ARTIFACT_TTL_NONE or seconds since created_at */
	timestamp_us changed_at;
	timestamp_us heard_at;
	timestamp_us deleted_at;
};

/* A version in a collection. */
struct artifact_member {
	int64_t project_id; /* of the collection */
	int64_t collection_id;
	int32_t version;   /* its number there */
	int64_t source_id; /* the project of the version */
	int64_t artifact_id;
	int64_t added_by;
	timestamp_us added_at;
	int16_t kind; /* of the collection */
	struct str collection;
	struct str type;
	struct str entity;
	struct str project;
	struct str aliases; /* a JSON array: those in this collection, "latest" first */
};

struct artifact_manifest {
	int64_t project_id;
	int64_t manifest_id;
	int64_t artifact_id;
	int16_t kind; /* enum artifact_manifest_kind */
	timestamp_us created_at;
	struct str md5;         /* 16 bytes; empty: not known yet */
	int64_t base_id;        /* 0: none */
	timestamp_us stored_at; /* 0: its entries are not all there */
	int64_t entry_count;
	int64_t size_bytes;
	struct str digest;
	struct str config; /* JSON, an object; .at == NULL: none was sent */
};

/* A file or a reference in a manifest. */
struct artifact_entry {
	struct str path;
	struct str
		digest; /* as in the manifest: base64 of the MD5 of a file, anything for a reference */
	bool has_size;
	int64_t size_bytes;
	struct str ref;     /* .at == NULL: a file */
	struct str extra;   /* JSON, an object; .at == NULL: none */
	int64_t blob_id;    /* 0: a reference, or its content has not come */
	int64_t birth_id;   /* the artifact that sent the content first */
	struct str content; /* its hash in the content store */
	struct str md5;     /* 16 bytes; of a file */
};

/* ---- names ------------------------------------------------------------------------------------ */

/* Each is ERR_INVALID, or NULL for one that may be used. `text` need not be UTF-8. */
err_t artifact_name_check(struct arena *a, const char *field, struct str text)
	__attribute__((warn_unused_result, nonnull));
err_t artifact_type_check(struct arena *a, const char *field, struct str text)
	__attribute__((warn_unused_result, nonnull));
/* An alias to set: "v3" is not one, for it is a number. */
err_t artifact_alias_check(struct arena *a, const char *field, struct str text)
	__attribute__((warn_unused_result, nonnull));
err_t artifact_tag_check(struct arena *a, const char *field, struct str text)
	__attribute__((warn_unused_result, nonnull));
/* A client's id of a draft or a sequence. */
err_t artifact_client_check(struct arena *a, const char *field, struct str text)
	__attribute__((warn_unused_result, nonnull));

/* The name that the processes of one version share, often a group of runs. */
err_t artifact_distributed_check(struct arena *a, const char *field, struct str text)
	__attribute__((warn_unused_result, nonnull));

/* Cuts "name:alias" at the first ":"; without one, the alias is "latest". False: the name is empty. */
bool artifact_name_split(struct str text, struct str *ret_collection, struct str *ret_alias);
/* "v3" is 3. */
bool artifact_version_read(struct str alias, int32_t *ret_version);

/* Reads the storage region that a client asks for; ERR_INVALID names one that is not known. */
err_t artifact_region_check(struct arena *a, struct str region) __attribute__((warn_unused_result));
/* Seconds, ARTIFACT_TTL_NONE or ARTIFACT_TTL_INHERIT; ERR_INVALID for others. */
err_t artifact_ttl_check(struct arena *a, const char *field, int64_t ttl_s)
	__attribute__((warn_unused_result));

/* ERR_UNPROCESSABLE if that is more than a version may have: ARTIFACT_ENTRIES_MAX, ARTIFACT_SIZE_MAX. field: NULL for none. */
struct artifact_amount {
	int64_t entries;
	int64_t size_bytes;
};
err_t artifact_amount_check(struct arena *a, const char *field,
			    const struct artifact_amount *amount)
	__attribute__((warn_unused_result, nonnull(1, 3)));

/* ---- making a version --------------------------------------------------------------------------- */

/* Facts of the request; see artifact_make.h. */
struct artifact_wish {
	bool has_client;      /* an id of the draft */
	bool has_distributed; /* many processes make it */
	bool dedupes;         /* the same content need not be a new version */
};
/* Facts of the store. */
struct artifact_known {
	bool has_client;  /* the client's id is known */
	bool same_digest; /* and its artifact has the digest that is asked for */
	bool has_draft;   /* a draft of (collection, distributed) is open */
	bool has_same; /* the newest version has the digest; without a client's id: any version */
};
enum artifact_making {
	ARTIFACT_MAKE_NEW,    /* a draft is made */
	ARTIFACT_MAKE_KNOWN,  /* a request that came before: its artifact again */
	ARTIFACT_MAKE_JOIN,   /* the open draft of the other processes */
	ARTIFACT_MAKE_SAME,   /* the version with this content */
	ARTIFACT_MAKE_REFUSE, /* the client's id was used for other content */
};
enum artifact_making artifact_decide(const struct artifact_wish *wish,
				     const struct artifact_known *known) __attribute__((nonnull));

/* ---- its end -------------------------------------------------------------------------------------- */

/* When it expires by its own or its collection's TTL; 0: never. */
timestamp_us artifact_expires(const struct artifact *artifact) __attribute__((nonnull));
/*
 * Whether neither TTL nor keep-last deletes it: it is the newest of its sequence, it is linked in a project of its
 * entity, or it has an alias other than "latest".
 */
struct artifact_hold {
	bool is_newest;
	bool is_linked;
	int64_t other_aliases;
};
bool artifact_is_protected(const struct artifact_hold *hold) __attribute__((nonnull));

#endif
