#ifndef WANDB_ARTIFACT_GET_H
#define WANDB_ARTIFACT_GET_H

#include "request.h"

/*
 * Files by their MD5, for a key that may read a project which has them. The SDK makes these addresses itself:
 *
 *	/artifactsV2/{region}/{entity}/{birth}/{hex}
 *	/artifactsV2/{region}/{entity}/{project}/{collection}/{birth}/{hex}/{name}
 *	/artifactsV2/{region}/{entity}/{project}/{collection}/{artifact}/{birth}/{hex}/{name}
 *	/artifacts/{entity}/{hex}
 *
 * birth, the version that sent the content first, may be empty, and so may be what is after "#" or "?" of the name, which is
 * not escaped.
 */
handler_fn wandb_artifact_get_v2, wandb_artifact_get_v1;

#endif
