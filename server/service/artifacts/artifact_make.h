#ifndef ARTIFACT_MAKE_H
#define ARTIFACT_MAKE_H

#include "artifact.h"
#include "request.h"

/*
 * Makes the draft of a version, or finds the version that has its content already. Project, type and collection are made if
 * they do not exist. A repeated request gets the same answer.
 */
struct artifact_asked {
	struct str type;
	struct str collection;
	struct str digest;      /* of the manifest, in hex; empty: not known */
	struct str description; /* .at == NULL: none */
	struct str metadata;    /* JSON, an object; .at == NULL: none */
	const struct str *tags;
	size_t tag_count;
	const struct str *aliases; /* that the commit sets */
	size_t alias_count;
	int64_t ttl_s; /* ARTIFACT_TTL_INHERIT, ARTIFACT_TTL_NONE or seconds */
	bool has_history_step;
	int64_t history_step;
	bool dedupes;               /* a version with this digest is as good */
	struct str distributed;     /* the name that many processes share; empty: none */
	struct str region;          /* of storage; empty: any */
	struct str client;          /* the client's id of the draft; empty: none */
	struct str client_sequence; /* and of the sequence */
	int64_t base_id;            /* of the project; 0: none */
};
struct artifact_made {
	struct artifact *artifact;
	struct artifact *newest; /* committed in its sequence; NULL: none */
	bool was_made;           /* now */
};
/*
 * Outside a transaction. q->target: the project, which is made if project_id is 0, and the run that makes it, run_id 0: none.
 * The run gets an output edge.
 */
err_t artifact_make(struct request *q, const struct artifact_asked *asked,
		    struct artifact_made *ret_made) __attribute__((warn_unused_result));

/*
 * Makes a collection of q->target's project unless there is one of that name; ERR_CONFLICT if that has another kind or type. In
 * a transaction.
 */
struct artifact_collection_asked {
	enum artifact_kind kind;
	struct str name;
	struct str type;
	struct str description; /* .at == NULL: none */
};
err_t artifact_make_collection(struct request *q, const struct artifact_collection_asked *asked,
			       struct artifact_collection **ret_collection)
	__attribute__((warn_unused_result));
err_t artifact_make_type(struct request *q, struct str name, struct str description)
	__attribute__((warn_unused_result));

/* Under the lock of the collection; ERR_UNPROCESSABLE if the version has more than ARTIFACT_BOUND_ALIASES_MAX then. */
struct artifact_aliases;
err_t artifact_set_aliases(struct request *q, const struct artifact_aliases *aliases)
	__attribute__((warn_unused_result));

/*
 * A manifest of a draft: a new row, or another md5 for one. ERR_CONFLICT if the draft is committed, ERR_GONE if it is deleted.
 * In a transaction.
 */
struct artifact_manifest_asked {
	enum artifact_manifest_kind kind;
	struct str md5; /* 16 bytes; empty: not known yet */
	int64_t base_id;
};
err_t artifact_make_manifest(struct request *q, const struct artifact *draft,
			     const struct artifact_manifest_asked *asked,
			     struct artifact_manifest **ret_manifest)
	__attribute__((warn_unused_result));
err_t artifact_ask_manifest(struct request *q, const struct artifact *draft, int64_t manifest_id,
			    const struct artifact_manifest_asked *asked,
			    struct artifact_manifest **ret_manifest)
	__attribute__((warn_unused_result));

/* Adds references to a draft, one by one: nothing is fetched. In a transaction. */
err_t artifact_add_references(struct request *q, const struct artifact *draft,
			      const struct artifact_entry *references, size_t count)
	__attribute__((warn_unused_result));

/* A request of the draft came: it is kept. ERR_GONE if it was deleted. In a transaction or not. */
err_t artifact_heard(struct request *q, const struct artifact *draft)
	__attribute__((warn_unused_result));

/* The run of q->target read or wrote an artifact: locks the run. In a transaction, before collections are locked. */
err_t artifact_note_edge(struct request *q, enum artifact_way way, const struct artifact *artifact,
			 struct str used_as) __attribute__((warn_unused_result));

#endif
