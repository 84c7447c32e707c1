/*
 * Sources of the box that finds things: projects, runs and metrics of a project, and labels of a run.
 */

import { apiPath, hrefOf } from '../address.js';
import { ask, askAll } from '../api.js';
import { encoded, listText } from '../base/query_text.js';
import { text } from '../text/frame.js';
import { wordsOf } from '../ui/fuzzy.js';

const words = text.jump;
const RUNS = 8;
const WORDS = 16; /* that a filter holds */
const KEYS = 10000;
const KEEP_MS = 30000;

const kept = new Map(); /* the last list of each kind */

/* Returns the last list again if it was read less than KEEP_MS ago. */
async function lately(kind, path, read) {
	const before = kept.get(kind);
	if (before?.path === path && Date.now() - before.at < KEEP_MS) return before.items;
	const answer = await read();
	if (answer.status !== 200) return [];
	kept.set(kind, { path, at: Date.now(), items: answer.body.items });
	return answer.body.items;
}

export async function knownProjects() {
	const items = await lately('projects', 'projects', () => askAll('projects'));
	return items.map(({ entity, name }) => ({ kind: words.project, label: `${entity}/${name}`, name: 'columns',
		href: hrefOf(entity, name) }));
}

/* Free words are found in names, labels and notes; each that is typed is put between quotes. */
function filterOf(typed) {
	return wordsOf(typed).slice(0, WORDS).map((word) => `"${word.replace(/[\\"]/g, '\\$&')}"`).join(' ');
}

export async function foundRuns({ entity, project }, typed, signal) {
	if (!project || !typed) return [];
	const query = new URLSearchParams({ filter: filterOf(typed), limit: RUNS });
	const answer = await ask('GET', `${apiPath(entity, project)}/runs?${query}`, undefined, { signal });
	if (answer.status !== 200) return [];
	return answer.body.items.map((run) => ({ kind: words.run, label: run.display_name || run.id, name: run.state,
		href: hrefOf(entity, project, 'runs', run.id) }));
}

/* Each leads to its panel, of the run that is looked at or of the project's runs. */
export async function knownKeys({ entity, project, run }, typed) {
	if (!project || !typed) return [];
	const path = `${apiPath(entity, project, run)}/keys`;
	const place = run === undefined ? hrefOf(entity, project) : hrefOf(entity, project, 'runs', run, 'charts');
	const items = await lately('keys', path, () => ask('GET', `${path}?limit=${KEYS}`));
	return items.map(({ key }) => ({ kind: words.metric, label: key, name: 'stairs',
		href: `${place}?${new URLSearchParams({ panel: key })}` }));
}

/* Returns the labels of a run with several of them; each links to its lines in the logs. */
export async function knownLabels({ entity, project, run }, typed) {
	if (run === undefined || !typed) return [];
	const path = `${apiPath(entity, project, run)}/writers`;
	const items = await lately('labels', path, () => askAll(path));
	const labels = [...new Set(items.map(({ label }) => label))];
	if (labels.length < 2) return [];
	return labels.map((label) => ({ kind: words.writer, label, name: 'info',
		href: `${hrefOf(entity, project, 'runs', run, 'logs')}?${new URLSearchParams({ label: listText([encoded(label)]) })}` }));
}
