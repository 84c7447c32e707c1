/*
 * Definitions that programs made for their metrics with define_metric() of the wandb SDK: which metric counts a key's
 * steps, and which keys have no panel of their own. Runs' configs store them as a list ("_wandb"."m") of {1: name or 2:
 * pattern that ends with "*", 4: name of the step metric or 5: its number in the list, from 1, 6: [2 if it is hidden]}.
 * A name goes before a pattern, a longer pattern before a shorter one, of two alike the later, as on the server. Pure.
 */

const HIDDEN = 2;
const PATTERNS = 1000; /* of a run */
const isText = (value) => typeof value === 'string' && value !== '';

function stepOf(list, definition) {
	const step = isText(definition[4]) ? definition[4] : list[definition[5] - 1]?.[1];
	return isText(step) ? step : null;
}

/* Returns the valid definitions: names by name, and patterns in order of precedence. */
function definitionsOf(given) {
	const list = Array.isArray(given) ? given : [];
	const said = list.filter((one) => one && typeof one === 'object')
		.map((one) => ({ name: one[1], pattern: one[2], step: stepOf(list, one), isHidden: [one[6]].flat().includes(HIDDEN) }));
	const patterns = said.filter(({ name, pattern }) => !isText(name) && isText(pattern) && pattern.endsWith('*')).reverse()
		.sort((a, b) => b.pattern.length - a.pattern.length);
	return { names: new Map(said.map((one) => [one.name, one])), steps: new Map(said.filter(({ step }) => step)
		.map((one) => [one.name, one])), patterns: patterns.slice(0, PATTERNS) };
}

/* Patterns are not of what the SDK logs of itself ("_runtime"). */
function findIn(names, patterns, key) {
	const fits = ({ pattern }) => key[0] !== '_' && key.startsWith(pattern.slice(0, -1));
	return names.get(key) ?? patterns.find(fits);
}

const hasStep = ({ step }) => step;
const isTime = (key) => key === '_step' || key === '_timestamp';
const saidOf = ({ panels, sections }) =>
	new Set([...Object.keys(panels), ...Object.values(sections).flatMap(({ panels: ids = [] }) => ids)]);

/*
 * lists: of runs, of which the first counts that says something of a key. {xOf(keys of a panel, all keys): what they lie
 * along, undefined if nothing says it, they do not agree, or no run has sent it; shown(all keys, layout): those that
 * have panels by themselves; hasSteps}
 */
export function keyDefinitions(lists) {
	const runs = lists.map(definitionsOf);
	const ofSteps = runs.map(({ steps, patterns }) => [steps, patterns.filter(hasStep)]);
	const first = (find) => runs.reduce((found, _, at) => found ?? find(at), undefined);
	const steps = new Map(); /* as far as they were asked for */
	const hidden = new Map(); /* likewise */
	let known = new Set();
	let of = null;

	function stepFor(key) {
		if (!steps.has(key)) steps.set(key, first((at) => findIn(...ofSteps[at], key))?.step);
		return steps.get(key);
	}

	function isHidden(key) {
		if (!hidden.has(key)) hidden.set(key, first((at) => findIn(runs[at].names, runs[at].patterns, key))?.isHidden);
		return hidden.get(key);
	}

	function isThere(key, all) {
		if (of !== all) known = new Set(all);
		of = all;
		return isTime(key) || known.has(key);
	}

	return {
		hasSteps: ofSteps.some(([names, patterns]) => names.size + patterns.length > 0),
		xOf(keys, all) {
			const [x, ...others] = new Set(keys.map(stepFor));
			return x && !others.length && !keys.includes(x) && isThere(x, all) ? x : undefined;
		},
		shown(all, layout) {
			const said = saidOf(layout);
			return all.filter((key) => said.has(key) || !isHidden(key));
		},
	};
}
