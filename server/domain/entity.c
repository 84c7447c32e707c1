#include "entity.h"

const char *entity_kind_name(enum entity_kind kind)
{
	return kind == ENTITY_TEAM ? "team" : "user";
}
