/*
 * All rows of what a panel of lines shows as a file, of groups those of their runs. While they are read a card says how
 * far it is, and stops it.
 */

import { ask } from '../../api.js';
import { queryOf } from '../../base/query_text.js';
import { MOST, rowFile } from '../../base/row_file.js';
import { nameOf } from '../../base/slot.js';
import { text as common } from '../../text/common.js';
import { text } from '../../text/panels.js';
import { progressCard } from '../../ui/progress_card.js';
import { saveBlob } from '../../ui/save.js';
import { FORMS, readExact } from './exact_rows.js';

const words = text.exactRows;
const NAMED = 5; /* of runs that were deleted */
export const RUNS_MOST = 1000; /* of one group that is drawn by a filter */

async function membersOf({ members, filter }, { path, signal }) {
	if (filter === undefined) return { runs: members.map((id) => ({ id, name: id })) };
	const answer = await ask('GET', `${path}/runs?${queryOf({ filter, limit: RUNS_MOST })}`, undefined, { signal });
	if (answer.status !== 200) return { fault: answer };
	const { items, next_cursor: more } = answer.body;
	return { runs: items.map((run) => ({ id: run.id, name: nameOf(run) })), isMany: more !== null };
}

/* Returns each drawn run once: {runs, many: names of groups that have more} or {fault}. */
async function runsOf({ shown, page }, signal) {
	const drawn = new Set(shown.map(({ who }) => who));
	const found = new Map(page.runs.filter(({ id }) => drawn.has(id)).map(({ id, name }) => [id, { id, name }]));
	const many = [];
	for (const group of page.groups.filter(({ name }) => drawn.has(`group:${name}`))) {
		const { runs, isMany, fault } = await membersOf(group, { path: page.path, signal });
		if (fault) return { fault };
		if (isMany) many.push(group.name);
		for (const run of runs) if (!found.has(run.id)) found.set(run.id, run);
	}
	return { runs: [...found.values()], many };
}

const keysOf = ({ keys, data: { x } }) => x[0] === '_' || keys.includes(x) ? keys : [...keys, x];

/* The range of steps that are visible. */
const stepsOf = (zoom) => zoom && [Math.max(0, Math.floor(zoom[0])), Math.ceil(zoom[1])];

async function readTo(file, { panel, kind, card }) {
	const { fault, runs, many } = await runsOf(panel, card.signal);
	if (fault) return { fault };
	const read = await readExact({
		path: panel.page.path, runs, keys: keysOf(panel), kind, file, signal: card.signal,
		zoom: panel.data.x === '_step' && stepsOf(panel.look.zoom),
		progress: (nth, rows) => card.tell(words.reading(nth, runs.length, rows), nth - 1, runs.length > 1 && runs.length),
	});
	return { ...read, many };
}

const namesOf = (runs) => common.andMore(runs.slice(0, NAMED).join(', '), Math.max(0, runs.length - NAMED));

/* The message about the file, with the names of runs that were deleted. */
export const lostOf = (gone, cut) => [
	gone.length > 0 && words.gone(namesOf(gone), gone.length),
	cut.length > 0 && words.cut(namesOf(cut)),
];

/* kind: of FORMS. */
export async function saveExact(panel, kind) {
	const card = progressCard(words.head);
	const file = rowFile();
	const { fault, full, gone, cut, many } = await readTo(file, { panel, kind, card });
	if (card.signal.aborted) return;
	if (fault) return card.end(common.fault.of(fault));
	saveBlob(file.blob(FORMS[kind].type), `${panel.name}-rows.${kind}`);
	card.end(full && words.most[full](MOST[full]), ...lostOf(gone, cut),
		many?.length > 0 && words.mostRuns(many, RUNS_MOST));
}
