#include "listener_list.h"

#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "clock.h"
#include "json_out.h"
#include "shares.h"

enum { WAITING_LIMIT = 4 << 20 };

struct listener_connection {
	struct reply_live *live;
	size_t owners;
	size_t taken; /* shares, of each owner */
	struct listener_shares shares;
	struct str project; /* of the last event */
};

struct listened {
	struct listened *next; /* in its slot */
	int64_t key;
	bool is_told;
	struct listener *first;
};

/* ---- connections -------------------------------------------------------------------------- */

struct listener_connection *listener_connection_new(struct request *q, size_t owners,
						    const struct listener_shares *shares)
{
	struct listener_connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		abort();
	connection->live = reply_live(q, WAITING_LIMIT);
	connection->owners = connection->taken = owners;
	connection->shares = *shares;
	return connection;
}

void listener_connection_leave(struct listener_connection *connection)
{
	if (!connection || --connection->owners)
		return;
	for (size_t i = 0; i < 2; i++)
		shares_give(connection->shares.shares, connection->shares.owners[i],
			    connection->taken);
	reply_live_end(connection->live);
	free(connection);
}

static bool begin_project(struct listener_connection *connection, struct str project)
{
	struct buf out = { 0 };
	struct json_out json;
	bool is_sent;

	listener_event_begin(&out, "project");
	json = json_out_begin(&out);
	json_out_object(&json);
	json_out_put_text(&json, "project", project);
	json_out_object_end(&json);
	buf_add_text(&out, "\nid:\n\n"); /* a browser's last id is not one of another project */
	is_sent = reply_live_send(connection->live, buf_str(&out));
	buf_free(&out);
	connection->project = project;
	return is_sent;
}

bool listener_connection_send(struct listener_connection *connection, struct str project,
			      struct str bytes)
{
	if (project.at && !str_equal(connection->project, project) &&
	    !begin_project(connection, project))
		return false;
	return reply_live_send(connection->live, bytes);
}

enum reply_live_state listener_connection_state(const struct listener_connection *connection)
{
	return reply_live_state(connection->live);
}

/* ---- start and stop ------------------------------------------------------------------------------ */

void listener_list_init(struct listener_list *list, size_t limit)
{
	*list = (struct listener_list){ .limit = limit };
	pthread_mutex_init(&list->lock, NULL);
	clock_cond_init(&list->wake);
}

static void free_listener(struct listener *l)
{
	listener_connection_leave(l->connection);
	free(l->seen.states);
	if (l->watcher)
		follow_list_deinit(&l->watcher->follows);
	free(l->watcher);
	free(l);
}

static void free_listened(struct listened *of)
{
	while (of->first) {
		struct listener *l = of->first;

		of->first = l->next;
		free_listener(l);
	}
	free(of);
}

void listener_list_deinit(struct listener_list *list)
{
	for (size_t i = 0; i < LISTENED_SLOTS; i++) {
		while (list->slots[i]) {
			struct listened *of = list->slots[i];

			list->slots[i] = of->next;
			free_listened(of);
		}
	}
	pthread_cond_destroy(&list->wake);
	pthread_mutex_destroy(&list->lock);
}

/* ---- finding ------------------------------------------------------------------------------------- */

/* The low bits of run ids count up and the high bits are times, so the key is hashed. */
static struct listened **slot_of(struct listener_list *list, int64_t key)
{
	uint64_t hash = (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);
	struct listened **at = &list->slots[hash >> 56];

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static struct listened *make(struct listener_list *list, int64_t key)
{
	struct listened **at = slot_of(list, key);
	struct listened *of = *at;

	if (of)
		return of;
	of = calloc(1, sizeof(*of));
	if (!of)
		abort();
	of->key = key;
	*at = of;
	return of;
}

/* ---- any thread ---------------------------------------------------------------------------------- */

bool listener_list_reserve(struct listener_list *list, size_t count)
{
	bool fits;

	pthread_mutex_lock(&list->lock);
	fits = count <= list->limit - list->count;
	list->count += fits ? count : 0;
	pthread_mutex_unlock(&list->lock);
	return fits;
}

static void note_update(struct listener_list *list, struct listened *of)
{
	of->is_told = true;
	list->has_updates = true;
	pthread_cond_signal(&list->wake);
}

void listener_list_add(struct listener_list *list, struct listener *l)
{
	struct listened *of;

	pthread_mutex_lock(&list->lock);
	of = make(list, l->key);
	l->next = of->first;
	of->first = l;
	note_update(list, of);
	pthread_mutex_unlock(&list->lock);
}

void listener_list_tell(struct listener_list *list, int64_t key)
{
	struct listened *of;

	pthread_mutex_lock(&list->lock);
	of = *slot_of(list, key);
	if (of)
		note_update(list, of);
	pthread_mutex_unlock(&list->lock);
}

void listener_list_tell_all(struct listener_list *list)
{
	pthread_mutex_lock(&list->lock);
	for (size_t i = 0; i < LISTENED_SLOTS; i++) {
		for (struct listened *of = list->slots[i]; of; of = of->next)
			note_update(list, of);
	}
	pthread_mutex_unlock(&list->lock);
}

void listener_list_stop(struct listener_list *list)
{
	pthread_mutex_lock(&list->lock);
	list->stop = true;
	pthread_cond_broadcast(&list->wake);
	pthread_mutex_unlock(&list->lock);
}

/* ---- the thread that serves ---------------------------------------------------------------------- */

bool listener_list_wait(struct listener_list *list, int64_t until_us)
{
	struct timespec until = clock_timespec(until_us);
	bool stop;

	pthread_mutex_lock(&list->lock);
	while (!list->has_updates && !list->stop) {
		if (pthread_cond_timedwait(&list->wake, &list->lock, &until))
			break;
	}
	list->has_updates = false;
	stop = list->stop;
	pthread_mutex_unlock(&list->lock);
	return !stop;
}

static struct listener_group group_of(struct arena *a, const struct listened *of)
{
	struct listener_group group = { .key = of->key };

	for (struct listener *l = of->first; l; l = l->next)
		group.count++;
	group.items = arena_new_array(a, struct listener *, group.count);
	group.count = 0;
	for (struct listener *l = of->first; l; l = l->next)
		group.items[group.count++] = l;
	return group;
}

size_t listener_list_take(struct listener_list *list, struct arena *a, unsigned also,
			  struct listener_group **ret_groups)
{
	struct listener_group *groups;
	size_t count = 0;

	pthread_mutex_lock(&list->lock);
	groups = arena_new_array(a, struct listener_group, list->count);
	for (size_t i = 0; i < LISTENED_SLOTS; i++) {
		for (struct listened *of = list->slots[i]; of; of = of->next) {
			if (!of->is_told && !(also & (of->key < 0 ? TAKE_PROJECTS : TAKE_RUNS)))
				continue;
			of->is_told = false;
			groups[count++] = group_of(a, of);
		}
	}
	pthread_mutex_unlock(&list->lock);
	*ret_groups = groups;
	return count;
}

void listener_list_remove(struct listener_list *list, struct listener *l)
{
	struct listened **at;
	struct listened *of;
	struct listener **link;

	pthread_mutex_lock(&list->lock);
	at = slot_of(list, l->key);
	of = *at;
	for (link = &of->first; *link != l;)
		link = &(*link)->next;
	*link = l->next;
	list->count--;
	if (!of->first) {
		*at = of->next;
		free(of);
	}
	pthread_mutex_unlock(&list->lock);
	free_listener(l);
}
