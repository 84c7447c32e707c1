#ifndef ENTITY_JSON_H
#define ENTITY_JSON_H

#include "entity.h"
#include "json_out.h"

/* An entity with the caller's role in it. */
void entity_json_write(struct json_out *o, const struct entity *entity);

#endif
