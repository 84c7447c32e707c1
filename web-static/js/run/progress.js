/* Size of a run according to its config: how many steps it will have, and how many processes. */

import { leaves } from '../base/leaves.js';

const TOTALS = new Set(['total_steps', 'max_steps', 'num_steps', 'n_steps', 'num_train_steps', 'num_training_steps',
	'train_steps', 'training_steps', 'total_iters', 'max_iters', 'num_iters', 'iterations', 'num_iterations']);
const SIZES = new Set(['world_size', 'num_processes', 'num_ranks', 'n_ranks', 'nranks', 'world']);

function named(config, names) {
	for (const [before, key, value] of leaves(config)) {
		const number = Number(value);
		if (names.has(key.toLowerCase()) && Number.isInteger(number) && number > 0) return { key: before + key,
			value: number };
	}
	return null;
}

/* {key, value} of config that is the number of steps; null if there is none. */
export function totalSteps(config) {
	return named(config, TOTALS);
}

export function worldSize(config) {
	return named(config, SIZES);
}
