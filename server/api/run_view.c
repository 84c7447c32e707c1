#include "run_view.h"

#include "app.h"
#include "arena.h"
#include "ingest.h"

struct lent {
	struct ingest *ingest;
	struct codec *codec;
};

static void give_back(void *p)
{
	struct lent *lent = p;

	ingest_give_codec(lent->ingest, lent->codec);
}

struct run_reader run_view_reader(struct request *q)
{
	struct lent *lent = arena_new_of(q->arena, struct lent);

	lent->ingest = q->app->ingest;
	lent->codec = ingest_take_codec(lent->ingest);
	arena_defer(q->arena, give_back, lent);
	return (struct run_reader){
		.db = q->db,
		.codec = lent->codec,
		.metrics = ingest_metrics_cache(lent->ingest),
	};
}

err_t run_view_document(struct request *q, enum document_kind kind, const struct run *run,
			struct str *ret_text)
{
	struct run_reader reader = run_view_reader(q);
	const struct json_doc *doc;
	err_t e;

	e = kind == DOCUMENT_CONFIG ? run_documents_config(&reader, run, &doc)
				    : run_documents_summary(&reader, run, &doc);
	if (!e)
		*ret_text = json_doc_dump(q->arena, doc);
	return e;
}
