#include "audit_note.h"

#include "auth.h"
#include "entity_store.h"
#include "run.h"
#include "server_store.h"

static err_t now_of(struct request *q, timestamp_us *ret_now)
{
	*ret_now = q->now;
	return q->now.us ? NULL : server_store_now(q->db, ret_now);
}

static void say_who(const struct request *q, struct audit_entry *entry)
{
	const struct identity *who = q->identity;

	entry->way = AUDIT_BY_NOBODY;
	if (!who)
		return;
	entry->actor = who->name;
	entry->key_id = who->key_id;
	entry->way = who->key_id ? AUDIT_BY_KEY : AUDIT_BY_SESSION;
}

static void say_where(const struct request *q, struct audit_entry *entry)
{
	if (!q->target)
		return;
	entry->entity = q->target->entity;
	entry->project = q->target->project;
	entry->run = q->target->run;
}

static err_t begin(struct request *q, const struct audit_event *event,
		   struct audit_entry *ret_entry)
{
	*ret_entry = (struct audit_entry){
		.address = q->client_address,
		.action = audit_action_name(event->action),
		.subject = event->subject,
		.detail = event->detail,
	};
	say_who(q, ret_entry);
	ret_entry->entity = event->entity;
	say_where(q, ret_entry);
	return now_of(q, &ret_entry->at);
}

err_t audit_note(struct request *q, const struct audit_event *event)
{
	struct audit_entry entry;
	err_t e = begin(q, event, &entry);

	return e ? e : audit_store_insert(q->db, &entry);
}

err_t audit_note_of(struct request *q, const struct audit_event *event, struct str actor)
{
	struct audit_entry entry;
	err_t e = begin(q, event, &entry);

	entry.actor = actor;
	if (actor.len && !entry.key_id)
		entry.way = AUDIT_BY_SESSION;
	return e ? e : audit_store_insert(q->db, &entry);
}

err_t audit_note_state(struct request *q, int16_t state, struct str reason)
{
	const struct audit_event event = {
		.action = AUDIT_RUN_STATE,
		.detail = str_of(arena_printf(q->arena, "%s%s%.*s",
					      run_state_name((enum run_state)state),
					      reason.len ? ": " : "", STR_ARG(reason))),
	};

	return audit_note(q, &event);
}

err_t audit_note_refused(struct request *q, struct str name)
{
	const struct audit_event event = { .action = AUDIT_SIGN_IN_REFUSED };
	struct audit_entry entry;
	struct account *account;
	err_t e = begin(q, &event, &entry);

	if (!e)
		e = account_store_find(q->db, name, &account);
	if (!e && account)
		entry.subject = account->name;
	return e ? e : audit_store_insert(q->db, &entry);
}
