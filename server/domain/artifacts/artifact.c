#include "artifact.h"

#include <string.h>

static const struct str regions[] = { { "default", 7 }, { "minio-local", 11 } };

/* ---- names ------------------------------------------------------------------------------------ */

struct name_rule {
	const char *what;    /* "an artifact name", for people */
	const char *refused; /* characters that may not occur */
	size_t max;
};

static const struct name_rule name_rule = { "artifact name", "/:", ARTIFACT_NAME_MAX };
static const struct name_rule type_rule = { "artifact type", "/:", ARTIFACT_NAME_MAX };
static const struct name_rule alias_rule = { "alias", "", ARTIFACT_NAME_MAX };
static const struct name_rule tag_rule = { "tag", "", ARTIFACT_TAG_MAX };
static const struct name_rule client_rule = { "client id", "/:", ARTIFACT_NAME_MAX };
static const struct name_rule distributed_rule = { "distributed id", "", ARTIFACT_DISTRIBUTED_MAX };

static bool has_any(struct str text, const char *characters)
{
	for (; *characters; characters++) {
		if (memchr(text.at, *characters, text.len))
			return true;
	}
	return false;
}

static err_t invalid(struct arena *a, const struct name_rule *rule, const char *field,
		     struct str text)
{
	struct str shown = str_is_utf8(text) ? str_head_characters(text, rule->max) : STR("");

	return err_field(a, ERR_INVALID, field,
			 "invalid %s \"%.*s\", must be %zu characters or less, not empty%s",
			 rule->what, STR_ARG(shown), rule->max,
			 rule->refused[0] ? ", without \"/\", \":\" and control characters"
					  : " and without control characters");
}

static err_t check(struct arena *a, const struct name_rule *rule, const char *field,
		   struct str text)
{
	if (text.len && str_is_utf8(text) && !str_has_control(text) &&
	    str_characters(text) <= rule->max && !has_any(text, rule->refused))
		return NULL;
	return invalid(a, rule, field, text);
}

err_t artifact_name_check(struct arena *a, const char *field, struct str text)
{
	return check(a, &name_rule, field, text);
}

err_t artifact_type_check(struct arena *a, const char *field, struct str text)
{
	return check(a, &type_rule, field, text);
}

err_t artifact_alias_check(struct arena *a, const char *field, struct str text)
{
	int32_t version;
	err_t e = check(a, &alias_rule, field, text);

	if (e || !artifact_version_read(text, &version))
		return e;
	return err_field(a, ERR_INVALID, field,
			 "invalid alias \"%.*s\": \"v\" and digits are the number of a version",
			 STR_ARG(text));
}

err_t artifact_tag_check(struct arena *a, const char *field, struct str text)
{
	return check(a, &tag_rule, field, text);
}

err_t artifact_client_check(struct arena *a, const char *field, struct str text)
{
	return check(a, &client_rule, field, text);
}

err_t artifact_distributed_check(struct arena *a, const char *field, struct str text)
{
	return check(a, &distributed_rule, field, text);
}

bool artifact_name_split(struct str text, struct str *ret_collection, struct str *ret_alias)
{
	struct str rest = text;
	struct str collection = str_cut(&rest, ':');

	if (!collection.len)
		return false;
	*ret_collection = collection;
	*ret_alias = rest.len ? rest : STR(ARTIFACT_LATEST);
	return true;
}

bool artifact_version_read(struct str alias, int32_t *ret_version)
{
	int64_t number;

	if (alias.len < 2 || alias.at[0] != 'v' || alias.at[1] < '0' || alias.at[1] > '9')
		return false;
	if (!str_to_int64((struct str){ alias.at + 1, alias.len - 1 }, 0, INT32_MAX, &number))
		return false;
	*ret_version = (int32_t)number;
	return true;
}

err_t artifact_region_check(struct arena *a, struct str region)
{
	if (!region.len)
		return NULL;
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		if (str_equal(region, regions[i]))
			return NULL;
	}
	return err_field(a, ERR_INVALID, "storageRegion",
			 "unknown storage region \"%.*s\": this server has only \"default\"",
			 STR_ARG(str_head(region, ARTIFACT_NAME_MAX)));
}

err_t artifact_amount_check(struct arena *a, const char *field,
			    const struct artifact_amount *amount)
{
	if (amount->entries > ARTIFACT_ENTRIES_MAX)
		return err_field(a, ERR_UNPROCESSABLE, field,
				 "the artifact has more than %d files and references",
				 ARTIFACT_ENTRIES_MAX);
	if (amount->size_bytes > ARTIFACT_SIZE_MAX)
		return err_field(a, ERR_UNPROCESSABLE, field,
				 "the files of the artifact have more than %lld bytes",
				 (long long)ARTIFACT_SIZE_MAX);
	return NULL;
}

err_t artifact_ttl_check(struct arena *a, const char *field, int64_t ttl_s)
{
	if (ttl_s >= ARTIFACT_TTL_INHERIT && ttl_s <= ARTIFACT_TTL_MAX_S)
		return NULL;
	return err_field(a, ERR_INVALID, field,
			 "invalid time to live of %lld seconds: expected 1 to %lld",
			 (long long)ttl_s, (long long)ARTIFACT_TTL_MAX_S);
}

/* ---- making a version --------------------------------------------------------------------------- */

enum artifact_making artifact_decide(const struct artifact_wish *wish,
				     const struct artifact_known *known)
{
	if (wish->has_client && known->has_client) {
		if (known->same_digest || wish->has_distributed)
			return ARTIFACT_MAKE_KNOWN;
		return ARTIFACT_MAKE_REFUSE;
	}
	if (wish->has_distributed)
		return known->has_draft ? ARTIFACT_MAKE_JOIN : ARTIFACT_MAKE_NEW;
	return wish->dedupes && known->has_same ? ARTIFACT_MAKE_SAME : ARTIFACT_MAKE_NEW;
}

/* ---- its end -------------------------------------------------------------------------------------- */

timestamp_us artifact_expires(const struct artifact *artifact)
{
	int64_t ttl_s = artifact->ttl_s == ARTIFACT_TTL_INHERIT ? artifact->collection_ttl_s
								: artifact->ttl_s;

	if (ttl_s == ARTIFACT_TTL_NONE)
		return (timestamp_us){ 0 };
	return (timestamp_us){ artifact->created_at.us + ttl_s * 1000000 };
}

bool artifact_is_protected(const struct artifact_hold *hold)
{
	return hold->is_newest || hold->is_linked || hold->other_aliases > 0;
}
