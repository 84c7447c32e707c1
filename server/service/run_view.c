#include "run_view.h"

#include "app.h"
#include "arena.h"
#include "ingest.h"

struct run_view {
	struct ingest *ingest;
	struct run_reader reader; /* without a codec: it was given back */
};

void run_view_end(struct run_view *view)
{
	if (view->reader.codec)
		ingest_give_codec(view->ingest, view->reader.codec);
	view->reader.codec = NULL;
}

static void end(void *p)
{
	run_view_end(p);
}

struct run_view *run_view_begin(struct request *q, struct arena *a)
{
	struct run_view *view = arena_new_of(a, struct run_view);

	view->ingest = q->app->ingest;
	view->reader = (struct run_reader){
		.db = q->db,
		.codec = ingest_take_codec(view->ingest, arena_share(a)),
		.metrics = ingest_metrics_cache(view->ingest),
	};
	arena_defer(a, end, view);
	return view;
}

const struct run_reader *run_view_of(const struct run_view *view)
{
	return &view->reader;
}

struct run_reader run_view_reader(struct request *q)
{
	return *run_view_of(run_view_begin(q, q->arena));
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
