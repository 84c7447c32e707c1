/*
 * The table of routes. A new one is a row here, a path in api/openapi.yaml and a handler; a test
 * holds this table and the contract together, another calls every row with every kind of key.
 */
#include "routes.h"

#include "alert_api.h"
#include "artifact_api.h"
#include "artifact_draft_api.h"
#include "artifact_edit_api.h"
#include "artifact_file_api.h"
#include "artifact_storage_api.h"
#include "artifact_upload_api.h"
#include "artifact_verify_api.h"
#include "audit_note.h"
#include "batch_api.h"
#include "attempt_api.h"
#include "branch_api.h"
#include "console_api.h"
#include "deletion_api.h"
#include "document_api.h"
#include "entity_api.h"
#include "field_api.h"
#include "file_api.h"
#include "file_link.h"
#include "file_tar.h"
#include "first_admin_api.h"
#include "group_api.h"
#include "key_api.h"
#include "left_out_api.h"
#include "lineage_api.h"
#include "link_api.h"
#include "live_api.h"
#include "member_api.h"
#include "metric_api.h"
#include "metric_best_api.h"
#include "move_api.h"
#include "project_api.h"
#include "password_api.h"
#include "rank_api.h"
#include "run_api.h"
#include "series_api.h"
#include "series_export.h"
#include "series_stream.h"
#include "server_api.h"
#include "session_api.h"
#include "signed_link.h"
#include "state_api.h"
#include "sweep_api.h"
#include "unread_api.h"
#include "usage_api.h"
#include "user_api.h"
#include "value_writer_api.h"
#include "view_api.h"
#include "viewer_api.h"
#include "viewer_key_api.h"
#include "webhook_api.h"
#include "writer_api.h"

#define PROJECT "/api/v1/projects/{entity}/{project}"
#define MEMBERS "/api/v1/entities/{entity}/members"
#define USER "/api/v1/users/{user}"
#define RUN PROJECT "/runs/{run}"
#define STORED_FILE "/storage/wandb_artifacts/{number}/{artifact}/{md5}/{path...}"
#define MANIFEST "/storage/manifests/{number}/{manifest}/wandb_manifest.json"
#define COLLECTION PROJECT "/artifacts/{collection}"
#define DRAFT COLLECTION "/drafts/{draft}"
#define VERSION COLLECTION "/versions/{version}"
#define SWEEP PROJECT "/sweeps/{sweep}"
#define AGENT SWEEP "/agents/{agent}"

#define PAGE "limit cursor"
#define SERIES "keys buckets label split format x scale from to after every row texts"

#define OPEN ACCESS_OPEN
#define SIGNED ACCESS_SIGNED
#define SELF ACCESS_SELF
#define ASKED ACCESS_ASKED
#define READ ACCESS_READ
#define WRITE ACCESS_WRITE
#define ADMIN ACCESS_ADMIN
#define SERVER ACCESS_SERVER
#define INLINE ROUTE_INLINE
#define TX ROUTE_TX
#define NOW ROUTE_NOW
#define MAKES ROUTE_MAKES
#define LINES ROUTE_LINES
#define DELETED ROUTE_DELETED
#define REPLICA ROUTE_REPLICA
#define ANY_QUERY ROUTE_ANY_QUERY
#define UPLOAD ROUTE_UPLOAD
#define PAGES ROUTE_PAGES
#define LINK ROUTE_LINK
#define QUIET ROUTE_QUIET

enum {
	SIGN_IN = 16 << 10,
	DOCUMENT = 64 << 10,  /* the largest body of a few named members */
	CONFIG = 16 << 20,    /* of one that holds a config or summary */
	SERIES_ASK = 4 << 20, /* of one that names runs and keys */
	BATCH = 64 << 20,
	FILE_NAMES = 2 << 20, /* of one that names files */
	ARTIFACT = 2 << 20,   /* of one with metadata of an artifact */
	REFERENCES = 12 << 20,
};

const struct route api_routes[] = {
	{ GET, "/healthz", server_api_health, OPEN, INLINE | QUIET, 0, "" },
	{ GET, "/ready", server_api_ready, OPEN, QUIET, 0, "" },
	{ GET, "/metrics", server_api_metrics, OPEN, INLINE, 0, "" },
	{ GET, "/login", session_api_show_page, OPEN, INLINE | ANY_QUERY, 0, "" },
	{ GET, "/login/link", session_api_show_page, OPEN, INLINE | ANY_QUERY, 0, "" },
	{ GET, "/authorize", session_api_show_page, OPEN, INLINE | ANY_QUERY, 0, "" },
	{ GET, "/api/v1/server", server_api_show, OPEN, NOW, 0, "" },
	{ GET, "/api/v1/server/state", server_api_state, SERVER, NOW, 0, "" },
	{ GET, "/api/v1/session", session_api_show, OPEN, NOW, 0, "" },
	{ POST, "/api/v1/session", session_api_post, OPEN, 0, SIGN_IN, "" },
	{ DELETE, "/api/v1/session", session_api_delete, OPEN, 0, 0, "" },
	{ POST, "/api/v1/first-admin", first_admin_api_post, OPEN, 0, SIGN_IN, "" },
	{ GET, "/api/v1/viewer", viewer_api_show, SIGNED, 0, 0, "" },
	{ PUT, "/api/v1/viewer/password", password_api_put, SELF, 0, SIGN_IN, "" },
	{ GET, "/api/v1/viewer/keys", viewer_key_api_list, SELF, 0, 0, PAGE },
	{ POST, "/api/v1/viewer/keys", viewer_key_api_post, SELF, TX | NOW, SIGN_IN, "" },
	{ DELETE, "/api/v1/viewer/keys/{key}", viewer_key_api_delete, SELF, TX | NOW, 0, "" },
	{ GET, "/api/v1/viewer/sessions", viewer_api_list_sessions, SELF, NOW, 0, "" },
	{ DELETE, "/api/v1/viewer/sessions", viewer_api_end_other_sessions, SELF, TX | NOW, 0, "" },
	{ DELETE, "/api/v1/viewer/sessions/{session}", viewer_api_end_session, SELF, TX | NOW, 0,
	  "" },
	{ GET, "/api/v1/audit", audit_api_list, SERVER, 0, 0,
	  "actor action entity project since until format " PAGE },
	{ GET, "/api/v1/users", user_api_list, SERVER, 0, 0, PAGE },
	{ POST, "/api/v1/users", user_api_post, SERVER, TX | NOW, SIGN_IN, "" },
	{ GET, USER, user_api_show, SERVER, 0, 0, "" },
	{ PATCH, USER, user_api_patch, SERVER, TX | NOW, SIGN_IN, "" },
	{ GET, USER "/keys", user_api_list_keys, SERVER, 0, 0, PAGE },
	{ POST, USER "/keys", user_api_post_key, SERVER, TX | NOW, SIGN_IN, "" },
	{ DELETE, USER "/keys/{key}", user_api_delete_key, SERVER, TX | NOW, 0, "" },
	{ GET, "/api/v1/links", link_api_list, SERVER, NOW, 0, PAGE },
	{ POST, "/api/v1/links", link_api_post, SERVER, TX | NOW, SIGN_IN, "" },
	{ POST, "/api/v1/links/read", link_api_read, OPEN, NOW, SIGN_IN, "" },
	{ POST, "/api/v1/links/use", link_api_use, OPEN, 0, SIGN_IN, "" },
	{ DELETE, "/api/v1/links/{link}", link_api_delete, SERVER, TX | NOW, 0, "" },
	{ GET, "/api/v1/entities", entity_api_list, SIGNED, 0, 0, "kind " PAGE },
	{ POST, "/api/v1/entities", entity_api_post, SERVER, TX | NOW, SIGN_IN, "" },
	{ GET, "/api/v1/entities/{entity}", entity_api_show, READ, 0, 0, "" },
	{ PATCH, "/api/v1/entities/{entity}", entity_api_patch, SERVER, TX | NOW, DOCUMENT, "" },
	{ GET, MEMBERS, member_api_list, READ, 0, 0, PAGE },
	{ PUT, MEMBERS "/{user}", member_api_put, ADMIN, TX | NOW, DOCUMENT, "" },
	{ DELETE, MEMBERS "/{user}", member_api_delete, ADMIN, TX | NOW, 0, "" },

	{ GET, "/api/v1/projects", project_api_list_all, SIGNED, 0, 0, "activity " PAGE },
	{ GET, "/api/v1/projects/{entity}", project_api_list, READ, 0, 0,
	  "activity deleted " PAGE },
	{ GET, PROJECT, project_api_show, READ, 0, 0, "" },
	{ PUT, PROJECT, project_api_put, WRITE, TX | NOW | MAKES, 4 * DOCUMENT, "" },
	{ PATCH, PROJECT, project_api_patch, ADMIN, TX | NOW, 4 * DOCUMENT, "" },
	{ DELETE, PROJECT, project_api_delete, ADMIN, TX | NOW, 0, "confirm purge dry_run" },
	{ POST, PROJECT "/restore", project_api_restore, ADMIN, TX | NOW | DELETED, 0, "" },
	{ GET, PROJECT "/webhook", webhook_api_show, ADMIN, 0, 0, "" },
	{ PUT, PROJECT "/webhook", webhook_api_put, ADMIN, TX | NOW, SIGN_IN, "" },
	{ DELETE, PROJECT "/webhook", webhook_api_delete, ADMIN, TX | NOW, 0, "" },
	{ GET, PROJECT "/usage", usage_api_show, READ, 0, 0, PAGE },

	{ GET, PROJECT "/views", view_api_list, READ, 0, 0, "" },
	{ POST, PROJECT "/views", view_api_post, READ, TX | NOW, 2 * DOCUMENT, "" },
	{ GET, PROJECT "/views/{view}", view_api_show, READ, NOW, 0, "" },
	{ PUT, PROJECT "/views/{view}", view_api_put, READ, TX | NOW, 2 * DOCUMENT, "" },
	{ PATCH, PROJECT "/views/{view}", view_api_patch, READ, TX | NOW, 2 * DOCUMENT, "" },
	{ DELETE, PROJECT "/views/{view}", view_api_delete, READ, TX | NOW, 0, "" },

	{ GET, PROJECT "/runs", run_api_list, READ, 0, 0,
	  "filter group_by group order count deleted keys offset ids " PAGE },
	{ GET, PROJECT "/groups", group_api_list, READ, 0, 0,
	  "by of different filter group_by group order " PAGE },
	{ GET, PROJECT "/keys", key_api_list, READ, 0, 0,
	  "match section sections count filter group_by group " PAGE },
	{ GET, PROJECT "/fields", field_api_list, READ, 0, 0, "match filter group_by group limit" },
	{ GET, PROJECT "/fields/{field}/values", field_api_values, READ, 0, 0,
	  "match filter group_by group limit" },
	{ GET, PROJECT "/live", live_api_watch, READ, 0, 0, "follow streams after" },
	{ GET, "/api/v1/live", live_api_watch_many, ASKED, 0, 0, "watch streams after" },
	{ GET, PROJECT "/history", series_export_project, READ, REPLICA, 0,
	  "keys format from to after texts" },
	{ GET, PROJECT "/metrics", metric_api_list, READ, REPLICA, 0, "ids keys" },
	{ GET, PROJECT "/metrics/together", metric_api_together, READ, REPLICA, 0,
	  "keys filter group_by group" },
	{ GET, PROJECT "/metrics/best", metric_best_api_list, READ, REPLICA, 0, "ids of by goal" },
	{ GET, PROJECT "/metrics/best/together", metric_best_api_together, READ, REPLICA, 0,
	  "of by goal filter group_by group" },
	{ POST, PROJECT "/series", series_stream_post, READ, REPLICA, SERIES_ASK, "" },
	{ POST, PROJECT "/runs", run_api_post, WRITE, TX | NOW | MAKES, CONFIG, "" },
	{ GET, RUN, run_api_show, READ, 0, 0, "" },
	{ PUT, RUN, run_api_put, WRITE, TX | NOW | MAKES, CONFIG, "" },
	{ PATCH, RUN, run_api_patch, WRITE, TX | NOW, 2 * DOCUMENT, "" },
	{ DELETE, RUN, deletion_api_delete, WRITE, TX | NOW, 0, "purge" },
	{ POST, RUN "/restore", deletion_api_restore, WRITE, TX | NOW | DELETED, 0, "" },
	{ POST, RUN "/move", move_api_post, WRITE, 0, DOCUMENT, "" },

	{ POST, RUN "/join", writer_api_join, WRITE, 0, DOCUMENT, "" },
	{ POST, RUN "/batch", batch_api_post, WRITE, 0, BATCH, "" },
	{ POST, RUN "/finish", state_api_finish, WRITE, TX | NOW, DOCUMENT, "" },
	{ POST, RUN "/stop", state_api_stop, WRITE, TX | NOW, DOCUMENT, "" },
	{ GET, RUN "/states", state_api_list, READ, 0, 0, PAGE },
	{ POST, RUN "/states", state_api_override, WRITE, TX | NOW, DOCUMENT, "" },
	{ GET, RUN "/writers", writer_api_list, READ, NOW, 0, PAGE },
	{ POST, RUN "/writers/{writer}/end", writer_api_end, ADMIN, TX | NOW, DOCUMENT, "" },

	{ GET, RUN "/attempts", attempt_api_list, READ, 0, 0, PAGE },
	{ POST, RUN "/attempts/{attempt}/restore", attempt_api_restore, WRITE, TX | NOW, 0, "" },
	{ GET, RUN "/branches", branch_api_list, READ, 0, 0, PAGE },
	{ POST, RUN "/rewind", branch_api_rewind, WRITE, TX | NOW, DOCUMENT, "" },

	{ GET, RUN "/config", document_api_show_config, READ, 0, 0, "attempt branch pointer" },
	{ PATCH, RUN "/config", document_api_patch_config, WRITE, TX | NOW, CONFIG, "" },
	{ GET, RUN "/config/writers", value_writer_api_config, READ, 0, 0, "" },
	{ GET, RUN "/summary", document_api_show_summary, READ, 0, 0, "attempt branch pointer" },
	{ PATCH, RUN "/summary", document_api_patch_summary, WRITE, TX | NOW, CONFIG, "" },
	{ GET, RUN "/summary/writers", value_writer_api_summary, READ, 0, 0, "" },
	{ GET, RUN "/conflicts", document_api_conflicts, READ, 0, 0, PAGE },
	{ GET, RUN "/unread", unread_api_list, READ, 0, 0, PAGE },
	{ GET, RUN "/left-out", left_out_api_list, READ, 0, 0, PAGE },
	{ GET, RUN "/alerts", alert_api_list, READ, 0, 0, PAGE },
	{ POST, RUN "/alerts", alert_api_post, WRITE, TX | NOW, DOCUMENT, "" },

	{ GET, RUN "/keys", series_api_keys, READ, REPLICA, 0, "stream " PAGE },
	{ GET, RUN "/history", series_api_history, READ, REPLICA, 0, SERIES " branch" },
	{ POST, RUN "/history", batch_api_post_rows, WRITE, MAKES | LINES, BATCH, "label" },
	{ GET, RUN "/ranks", rank_api_show, READ, REPLICA, 0, "key x columns slow from to" },
	{ GET, RUN "/events", series_api_events, READ, REPLICA, 0, SERIES },
	{ GET, RUN "/console", console_api_show, READ, 0, 0,
	  "label writers stream from tail order time_from time_to arrival_from arrival_to "
	  "arrivals search syntax case context format " PAGE },
	{ GET, RUN "/console/density", console_api_density, READ, 0, 0, "writers stream buckets" },
	{ GET, RUN "/live", live_api_show, READ, 0, 0, "streams" },

	{ GET, RUN "/files", file_api_list, READ, NOW, 0, "pattern " PAGE },
	{ POST, RUN "/files", file_api_post, WRITE, NOW, FILE_NAMES, "" },
	{ GET, RUN "/files.tar", file_tar_show, READ, 0, 0, "" },
	{ GET, RUN "/files/{name...}", file_api_show, READ, PAGES, 0, "framed scripts" },
	{ PUT, RUN "/files/{name...}", file_api_put, WRITE, UPLOAD | PAGES, 0, "",
	  file_api_put_begin },
	{ DELETE, RUN "/files/{name...}", file_api_delete, WRITE, TX | NOW | PAGES, 0, "" },
	{ GET, RUN "/artifacts", lineage_api_list, READ, 0, 0, "way " PAGE },
	{ POST, RUN "/artifacts", lineage_api_post, WRITE, TX | NOW, DOCUMENT, "" },

	{ GET, PROJECT "/sweeps", sweep_api_list, READ, 0, 0, "state " PAGE },
	{ POST, PROJECT "/sweeps", sweep_api_post, WRITE, NOW | MAKES, ARTIFACT, "dry_run" },
	{ GET, SWEEP, sweep_api_show, READ, 0, 0, "" },
	{ PATCH, SWEEP, sweep_api_patch, WRITE, NOW, ARTIFACT, "" },
	{ DELETE, SWEEP, sweep_api_delete, WRITE, NOW, 0, "" },
	{ GET, SWEEP "/importance", sweep_api_importance, READ, 0, 0, "" },
	{ GET, SWEEP "/trials", sweep_trial_api_list, READ, 0, 0, "order state " PAGE },
	{ POST, SWEEP "/trials", sweep_trial_api_post, WRITE, NOW, DOCUMENT, "" },
	{ GET, SWEEP "/trials/{trial}", sweep_trial_api_show, READ, 0, 0, "" },
	{ PATCH, SWEEP "/trials/{trial}", sweep_trial_api_patch, WRITE, NOW, DOCUMENT, "" },
	{ GET, SWEEP "/agents", sweep_agent_api_list, READ, NOW, 0, PAGE },
	{ POST, SWEEP "/agents", sweep_agent_api_post, WRITE, NOW, DOCUMENT, "" },
	{ PATCH, AGENT, sweep_agent_api_patch, WRITE, NOW, DOCUMENT, "" },
	{ DELETE, AGENT, sweep_agent_api_delete, WRITE, NOW, 0, "" },
	{ POST, AGENT "/heartbeat", sweep_agent_api_beat, WRITE, NOW | QUIET, 2 * DOCUMENT, "" },

	{ GET, PROJECT "/artifact-types", artifact_api_list_types, READ, 0, 0, PAGE },
	{ GET, PROJECT "/artifact-versions", artifact_api_search, READ, 0, 0,
	  "filter order count " PAGE },
	{ GET, PROJECT "/artifact-clients/{client}", artifact_api_show_client, READ, 0, 0, "" },
	{ POST, PROJECT "/artifact-restore", artifact_edit_api_restore, WRITE, TX | NOW, DOCUMENT,
	  "" },
	{ GET, PROJECT "/artifacts", artifact_api_list, READ, 0, 0, "type pattern order " PAGE },
	{ GET, COLLECTION, artifact_api_show, READ, 0, 0, "" },
	{ PATCH, COLLECTION, artifact_edit_api_patch, WRITE, TX | NOW, 2 * DOCUMENT, "" },
	{ DELETE, COLLECTION, artifact_edit_api_delete, WRITE, TX | NOW, 0, "dry_run" },
	{ GET, COLLECTION "/compare", artifact_file_api_compare, READ, 0, 0,
	  "from to count " PAGE },
	{ POST, COLLECTION "/links", artifact_edit_api_link, WRITE, TX | NOW, DOCUMENT, "" },
	{ GET, COLLECTION "/versions", artifact_api_list_versions, READ, 0, 0, "order " PAGE },
	{ POST, COLLECTION "/versions", artifact_draft_api_post, WRITE, NOW | MAKES, ARTIFACT, "" },
	{ POST, DRAFT "/files", artifact_upload_api_ask, WRITE, NOW, FILE_NAMES, "" },
	{ PUT, DRAFT "/files/{path...}", artifact_upload_api_put, WRITE, UPLOAD | NOW | PAGES, 0,
	  "", artifact_upload_api_put_begin },
	{ PUT, DRAFT "/files.tar", artifact_upload_api_put_tar, WRITE, UPLOAD | NOW, 0, "",
	  artifact_upload_api_put_tar_begin },
	{ POST, DRAFT "/uploads", artifact_upload_api_open, WRITE, NOW, DOCUMENT, "" },
	{ PUT, DRAFT "/uploads/{upload}/{part}", artifact_upload_api_put_part, WRITE, UPLOAD | NOW,
	  0, "", artifact_upload_api_put_part_begin },
	{ POST, DRAFT "/uploads/{upload}/complete", artifact_upload_api_complete, WRITE, NOW,
	  DOCUMENT, "" },
	{ DELETE, DRAFT "/uploads/{upload}", artifact_upload_api_abort, WRITE, NOW, 0, "" },
	{ POST, DRAFT "/references", artifact_draft_api_references, WRITE, TX | NOW, REFERENCES,
	  "" },
	{ POST, DRAFT "/commit", artifact_draft_api_commit, WRITE, NOW, DOCUMENT, "" },
	{ GET, VERSION, artifact_api_show_version, READ, 0, 0, "" },
	{ PATCH, VERSION, artifact_edit_api_patch_version, WRITE, TX | NOW, ARTIFACT, "" },
	{ DELETE, VERSION, artifact_edit_api_delete_version, WRITE, TX | NOW, 0,
	  "aliases dry_run" },
	{ PUT, VERSION "/aliases/{alias}", artifact_edit_api_put_alias, WRITE, TX | NOW, 0, "" },
	{ DELETE, VERSION "/aliases/{alias}", artifact_edit_api_delete_alias, WRITE, TX | NOW, 0,
	  "" },
	{ POST, VERSION "/verify", artifact_verify_api_post, WRITE, NOW, 0, PAGE },
	{ GET, VERSION "/manifest", artifact_file_api_manifest, READ, NOW, 0, "links" },
	{ GET, VERSION "/lineage", lineage_api_show, READ, 0, 0, "depth limit" },
	{ GET, VERSION "/files", artifact_file_api_list, READ, NOW, 0, "prefix delimiter " PAGE },
	{ GET, VERSION "/files.tar", artifact_file_api_tar, READ, 0, 0, "prefix" },
	{ GET, VERSION "/files/{path...}", artifact_file_api_show, READ, PAGES, 0,
	  "framed scripts" },

	{ GET, "/files/{entity}/{project}/{run}/{name...}", file_api_show, READ, PAGES, 0, "" },
	{ GET, STORED_FILE, artifact_storage_api_show, OPEN, NOW | LINK, 0, SIGNED_LINK_QUERY },
	{ PUT, STORED_FILE, artifact_storage_api_put, OPEN, NOW | UPLOAD | LINK, 0,
	  SIGNED_LINK_QUERY, artifact_storage_api_put_begin },
	{ GET, MANIFEST, artifact_storage_api_show_manifest, OPEN, NOW | LINK, 0,
	  SIGNED_LINK_QUERY },
	{ PUT, MANIFEST, artifact_storage_api_put_manifest, OPEN, NOW | UPLOAD | LINK, 0,
	  SIGNED_LINK_QUERY, artifact_storage_api_put_manifest_begin },
	{ PUT, "/storage/parts/{number}/{upload}/{part}", artifact_storage_api_put_part, OPEN,
	  NOW | UPLOAD | LINK, 0, SIGNED_LINK_QUERY, artifact_storage_api_put_part_begin },
	{ GET, "/storage/{number}/{name...}", file_api_link_show, OPEN, NOW | LINK, 0,
	  FILE_LINK_QUERY },
	{ PUT, "/storage/{number}/{name...}", file_api_link_put, OPEN, NOW | UPLOAD | LINK, 0,
	  FILE_LINK_QUERY, file_api_link_put_begin },
};
const size_t api_route_count = sizeof(api_routes) / sizeof(api_routes[0]);

void routes_print(FILE *out)
{
	static const char *const methods[] = { "", "GET", "POST", "PUT", "PATCH", "DELETE" };
	static const char *const who[] = { "open", "signed", "self",  "asked",
					   "read", "write",  "admin", "server" };

	for (size_t i = 0; i < api_route_count; i++) {
		const struct route *r = &api_routes[i];

		fprintf(out, "%s %s %s%s %zu %s\n", methods[r->method], r->path, who[r->access],
			r->flags & ROUTE_MAKES ? "+makes" : "", r->max_body, r->query);
	}
}
