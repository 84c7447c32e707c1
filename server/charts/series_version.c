#include "series_version.h"

#include <sodium.h>

enum { HASH_SIZE = 16 };

typedef crypto_generichash_state hash;

static void add_int(hash *h, int64_t number)
{
	crypto_generichash_update(h, (const unsigned char *)&number, sizeof(number));
}

static void add_text(hash *h, struct str text)
{
	add_int(h, (int64_t)text.len);
	crypto_generichash_update(h, (const unsigned char *)text.at, text.len);
}

static void add_texts(hash *h, const struct str *texts, size_t count)
{
	add_int(h, (int64_t)count);
	for (size_t i = 0; i < count; i++)
		add_text(h, texts[i]);
}

static void add_question(hash *h, const struct series_panel *panel)
{
	add_texts(h, panel->keys, panel->key_count);
	add_text(h, panel->axis.name);
	add_int(h, panel->axis.x.log);
	add_int(h, panel->axis.stream);
	add_int(h, panel->range.from);
	add_int(h, panel->range.to);
	add_int(h, panel->buckets);
	add_int(h, panel->split);
	add_int(h, panel->by_host);
	add_int(h, panel->is_rate);
	add_int(h, panel->percentiles);
	add_int(h, panel->columns);
}

/*
 * The positions of samples depend on rows. A writer may come back with another label or from another host, which only the
 * version of its run shows.
 */
static void add_stand(hash *h, const struct series_panel *panel, const struct series_member *member)
{
	add_int(h, member->run_id);
	add_int(h, member->rows);
	add_int(h, panel->axis.stream == STREAM_EVENTS ? member->events : 0);
	add_int(h, member->branch);
	add_int(h, member->writers);
	add_int(h, panel->split == SERIES_SPLIT_WRITER ? member->version : 0);
}

static void add_members(hash *h, const struct series_panel *panel,
			const struct series_members *members)
{
	add_int(h, (int64_t)members->count);
	for (size_t i = 0; i < members->count; i++)
		add_stand(h, panel, &members->at[i]);
}

static bool has_branches(const struct series_members *members)
{
	for (size_t i = 0; i < members->count; i++) {
		if (members->at[i].branch)
			return true;
	}
	return false;
}

static bool shows_other_writers(const struct series_question *question,
				const struct series_panel *panel)
{
	bool has = has_branches(&question->shown);

	for (size_t i = 0; i < question->group_count; i++)
		has |= has_branches(&question->groups[i].members);
	return has && panel->split == SERIES_SPLIT_WRITER;
}

bool series_version(const struct series_question *question, const struct series_panel *panel,
		    char ret_etag[static SERIES_ETAG_SIZE])
{
	unsigned char made[HASH_SIZE];
	hash h;

	if (shows_other_writers(question, panel))
		return false;
	crypto_generichash_init(&h, NULL, 0, sizeof(made));
	add_int(&h, question->narrow);
	add_question(&h, panel);
	add_members(&h, panel, &question->shown);
	add_texts(&h, question->missing, question->missing_count);
	for (size_t i = 0; i < question->group_count; i++) {
		add_text(&h, question->groups[i].name);
		add_members(&h, panel, &question->groups[i].members);
	}
	crypto_generichash_final(&h, made, sizeof(made));
	sodium_bin2hex(ret_etag, SERIES_ETAG_SIZE, made, sizeof(made));
	return true;
}
