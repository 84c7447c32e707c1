/* Lines for a shell that start a sweep and its agents, with this server's address. Pure. */

import { PLAIN, word } from '../projects/first_lines.js';

/* A config to start from. */
export const EXAMPLE = `program: train.py
method: bayes
metric: {name: loss, goal: minimize}
run_cap: 20
parameters:
  lr: {distribution: log_uniform_values, min: 0.0001, max: 0.1}
  batch_size: {values: [16, 32, 64]}
`;

const PROGRAM = `import wandb
with wandb.init() as run:
    for step in range(10):
        run.log({"loss": run.config.lr * run.config.batch_size / (step + 1)})`;

/* Its loss depends on both values: lr and batch_size are set from its arguments. */
const SCRIPT = `for given; do export "$given"; done
for step in 1 2 3; do
    cairn log loss=$(awk "BEGIN { print $lr * $batch_size / $step }")
done`;

function exported(base, key, isSdk) {
	return `export ${isSdk ? 'WANDB_BASE_URL' : 'CAIRN_URL'}=${word(base)} ${isSdk ? 'WANDB_API_KEY' : 'CAIRN_API_KEY'}=${key}`;
}

const file = (name, content) => `cat >${name} <<'END'\n${content.replace(/\n$/, '')}\nEND`;

const STARTS = {
	wandb: ({ entity, project, base, key }) => `${exported(base, key, true)}
${file('sweep.yaml', EXAMPLE)}
${file('train.py', PROGRAM)}
wandb sweep --entity ${word(entity)} --project ${word(project)} sweep.yaml`,
	command: ({ entity, project, base, key }) => `${exported(base, key, false)}
${file('sweep.yaml', EXAMPLE.replace('program: train.py\n', 'command: [sh, train.sh, "${args_no_hyphens}"]\n'))}
${file('train.sh', SCRIPT)}
cairn sweep sweep.yaml --project ${entity}/${project}`,
	curl: ({ entity, project, base, key }) => `curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
    -d '{"config": {"method": "random", "parameters": {"lr": {"min": 0.001, "max": 0.1}}}}' \\
    ${word(`${base}/api/v1/projects/${encodeURIComponent(entity)}/${encodeURIComponent(project)}/sweeps`)}`,
};

/* {wandb, command, curl}: how to start the first one. `base`: the server's address without a slash at its end. */
export function startLines(place) {
	const works = (way) => way !== 'command' || PLAIN.test(place.project);
	return Object.fromEntries(Object.entries(STARTS).filter(([way]) => works(way)).map(([way, make]) => [way, make(place)]));
}

const AGENTS = {
	wandb: ({ entity, project, sweep, base, key }) => `${exported(base, key, true)}
wandb agent ${word(`${entity}/${project}/${sweep}`)}`,
	command: ({ entity, project, sweep, base, key }) => `${exported(base, key, false)}
cairn agent ${word(`${entity}/${project}/${sweep}`)}`,
	curl: ({ entity, project, sweep, base, key }) => `curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{}' \\
    ${word(`${base}/api/v1/projects/${encodeURIComponent(entity)}/${encodeURIComponent(project)}/sweeps/${sweep}/trials`)}`,
};

/* {wandb, command, curl}: how to run its trials. */
export function agentLines(place) {
	return Object.fromEntries(Object.entries(AGENTS).map(([way, make]) => [way, make(place)]));
}
