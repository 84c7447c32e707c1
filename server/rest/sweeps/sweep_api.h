#ifndef SWEEP_API_H
#define SWEEP_API_H

#include "sweep_target.h"

handler_fn sweep_api_list;
handler_fn sweep_api_post;
handler_fn sweep_api_show;
handler_fn sweep_api_patch;
handler_fn sweep_api_delete;
handler_fn sweep_api_importance;

handler_fn sweep_trial_api_list;
handler_fn sweep_trial_api_post;
handler_fn sweep_trial_api_show;
handler_fn sweep_trial_api_patch;

handler_fn sweep_agent_api_list;
handler_fn sweep_agent_api_post;
handler_fn sweep_agent_api_patch;
handler_fn sweep_agent_api_delete;
handler_fn sweep_agent_api_beat;

/* The {sweep} of the path. */
err_t sweep_api_target(struct request *q, struct sweep_target *ret_target)
	__attribute__((warn_unused_result));

#endif
