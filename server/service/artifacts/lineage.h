#ifndef LINEAGE_H
#define LINEAGE_H

#include "artifact_target.h"
#include "lineage_store.h"
#include "request.h"

/*
 * The graph of runs and versions around a version, breadth first: edges alternate between a version and a run. Only what the
 * caller may see is in it, and drafts are not.
 */
enum { LINEAGE_DEPTH_MAX = 10, LINEAGE_NODES_MAX = 1000, LINEAGE_EDGES_MAX = 20000 };

struct lineage_run_node {
	int depth; /* edges from the version that was asked for */
	const struct lineage_run *run;
};
struct lineage_version_node {
	int depth;
	const struct artifact *artifact;
	struct str entity;
	struct str project;
};
struct lineage {
	struct lineage_version_node *versions; /* the first is the one that was asked for */
	size_t version_count;
	struct lineage_run_node *runs;
	size_t run_count;
	struct lineage_edge *edges; /* between these, each once */
	size_t edge_count;
	bool is_cut; /* there are more nodes or edges */
};

struct lineage_limits {
	int depth;
	size_t nodes;
};
err_t lineage_walk(struct request *q, const struct artifact *artifact,
		   const struct lineage_limits *limits, struct lineage *ret_lineage)
	__attribute__((warn_unused_result));

#endif
