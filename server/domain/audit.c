#include "audit.h"

#include <inttypes.h>

#include "arena.h"
#include "buf.h"
#include "quota.h"

static const char *const action_names[AUDIT_ACTIONS] = {
	[AUDIT_SIGN_IN] = "session.begin",
	[AUDIT_SIGN_IN_REFUSED] = "session.refused",
	[AUDIT_SIGN_OUT] = "session.sign_out",
	[AUDIT_SESSION_END] = "session.end",
	[AUDIT_PASSWORD] = "password.change",
	[AUDIT_KEY_MAKE] = "key.make",
	[AUDIT_KEY_REVOKE] = "key.revoke",
	[AUDIT_USER_MAKE] = "user.make",
	[AUDIT_USER_DISABLE] = "user.disable",
	[AUDIT_USER_ENABLE] = "user.enable",
	[AUDIT_USER_DEFAULT] = "user.default",
	[AUDIT_USER_ADMIN] = "user.admin",
	[AUDIT_LINK_MAKE] = "link.make",
	[AUDIT_LINK_REVOKE] = "link.revoke",
	[AUDIT_TEAM_MAKE] = "team.make",
	[AUDIT_MEMBER_SAVE] = "member.save",
	[AUDIT_MEMBER_REMOVE] = "member.remove",
	[AUDIT_QUOTA] = "entity.quota",
	[AUDIT_PROJECT_MAKE] = "project.make",
	[AUDIT_PROJECT_CHANGE] = "project.change",
	[AUDIT_PROJECT_DELETE] = "project.delete",
	[AUDIT_PROJECT_RESTORE] = "project.restore",
	[AUDIT_WEBHOOK_SAVE] = "webhook.save",
	[AUDIT_WEBHOOK_REMOVE] = "webhook.remove",
	[AUDIT_RUN_VISIBILITY] = "run.visibility",
	[AUDIT_RUN_STATE] = "run.state",
	[AUDIT_RUN_STOP] = "run.stop",
	[AUDIT_RUN_MOVE] = "run.move",
	[AUDIT_RUN_DELETE] = "run.delete",
	[AUDIT_RUN_RESTORE] = "run.restore",
	[AUDIT_WRITER_END] = "writer.end",
	[AUDIT_ARTIFACT_CHANGE] = "artifact.change",
	[AUDIT_ARTIFACT_DELETE] = "artifact.delete",
	[AUDIT_ARTIFACT_RESTORE] = "artifact.restore",
	[AUDIT_ARTIFACT_LINK] = "artifact.link",
	[AUDIT_ARTIFACT_UNLINK] = "artifact.unlink",
	[AUDIT_SWEEP_MAKE] = "sweep.make",
	[AUDIT_SWEEP_CHANGE] = "sweep.change",
	[AUDIT_SWEEP_STATE] = "sweep.state",
	[AUDIT_SWEEP_DELETE] = "sweep.delete",
};

static const char *const way_names[] = {
	[AUDIT_BY_NOBODY] = "unknown",
	[AUDIT_BY_KEY] = "key",
	[AUDIT_BY_SESSION] = "session",
	[AUDIT_BY_COMMAND] = "command",
};

struct str audit_action_name(enum audit_action action)
{
	return str_of(action_names[action]);
}

bool audit_is_action(struct str name)
{
	for (size_t i = 0; i < AUDIT_ACTIONS; i++) {
		struct str rest = str_of(action_names[i]);

		if (str_equal(rest, name) || str_equal(str_cut(&rest, '.'), name))
			return true;
	}
	return false;
}

const char *audit_way_name(enum audit_way way)
{
	return way_names[way];
}

static void put(struct buf *words, bool is_there, const char *name, const char *value)
{
	if (is_there)
		buf_printf(words, "%s%s%s%s", words->len ? ", " : "", name, *value ? " " : "",
			   value);
}

static void put_number(struct buf *words, bool is_there, const char *name, int64_t value)
{
	if (is_there)
		buf_printf(words, "%s%s %" PRId64, words->len ? ", " : "", name, value);
}

struct str audit_project_words(struct arena *a, const struct project_change *change)
{
	struct buf *words = buf_new(a);

	put(words, change->has_visibility, "visibility", visibility_name(change->visibility));
	put_number(words, change->has_crash_after, "crash_after_s", change->crash_after_s);
	put_number(words, change->has_keep_finished, "keep_finished_days",
		   change->keep_finished_days);
	put_number(words, change->has_keep_failed, "keep_failed_days", change->keep_failed_days);
	put_number(words, change->has_keep_crashed, "keep_crashed_days", change->keep_crashed_days);
	put_number(words, change->has_keep_killed, "keep_killed_days", change->keep_killed_days);
	put(words, change->has_quota && change->quota_bytes == QUOTA_NONE, "quota_bytes", "none");
	put_number(words, change->has_quota && change->quota_bytes != QUOTA_NONE, "quota_bytes",
		   change->quota_bytes);
	put(words, change->has_description, "description", "");
	put(words, change->has_directions, "directions", "");
	return buf_str(words);
}
