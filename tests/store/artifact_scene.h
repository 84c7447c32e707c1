#ifndef ARTIFACT_SCENE_H
#define ARTIFACT_SCENE_H

#include "app.h"
#include "artifact_commit.h"
#include "artifact_make.h"
#include "auth.h"
#include "config.h"
#include "exchange.h"
#include "scene.h"

/* Requests for the services of artifacts, which take them as they take those that came by HTTP. */
struct caller {
	struct request q;
	struct arena *a;
	struct db *db;
	struct config config;
	struct app app;
	struct identity identity;
	struct target target;
	struct http_exchange exchange;
};
struct caller *new_caller(struct scene *s, struct arena *a, struct db *db);
struct caller *caller_of(struct scene *s);

/* Of the type "model", with the alias "latest". */
struct artifact_asked asked_for(const char *collection, const char *digest, const char *client);
struct artifact_made make(struct caller *c, const struct artifact_asked *asked);
struct artifact commit(struct caller *c, const struct artifact *draft);
/* The version that the alias names, which there must be. */
struct artifact_member member(struct caller *c, const struct artifact *v, const char *alias);

/* A file; the same number is the same content. */
struct file {
	const char *path;
	const char *md5; /* base64 */
	int64_t size_bytes;
	int64_t number;
};
/* The number of its blob. */
int64_t upload(struct caller *c, const struct artifact *draft, const struct file *file);
/* The entries of a manifest, all of them. */
void stage(struct caller *c, const struct artifact *draft, int64_t manifest_id,
	   const struct file *files, size_t count);

#endif
