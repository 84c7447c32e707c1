/* Lines for a shell that resume a run, ready to paste: one text for each way to do it. */

import { PLAIN, word } from '../../projects/first_lines.js';

function wandb({ base, entity, project, run }) {
	return `export WANDB_BASE_URL=${word(base)} WANDB_ENTITY=${word(entity)} WANDB_PROJECT=${word(project)}
export WANDB_RUN_ID=${word(run)} WANDB_RESUME=must
python train.py`;
}

function command({ base, entity, project, run }) {
	return `cairn run --url ${word(base)} --project ${entity}/${project} --run ${word(run)} -- ./train`;
}

function library({ base, entity, project, run }) {
	return `export CAIRN_URL=${word(base)} CAIRN_PROJECT=${entity}/${project} CAIRN_RUN=${word(run)}
./train`;
}

/* {wandb, command, library}: texts, of those that take the project's name. */
export function resumeLines(place) {
	const plain = PLAIN.test(place.project) ? { command, library } : {};
	return Object.fromEntries(Object.entries({ wandb, ...plain }).map(([way, make]) => [way, make(place)]));
}
