/*
 * All rows of what a panel of lines shows as a file, of groups those of their runs. While they are read a card says how
 * far it is, and stops it.
 */

import { ask } from '../api.js';
import { el } from '../dom.js';
import { button } from '../parts/controls.js';
import { dialog } from '../parts/dialog.js';
import { saveBlob } from '../parts/save.js';
import { queryOf } from '../runs/query_text.js';
import { nameOf } from '../runs/slot.js';
import { text } from '../text.js';
import { MOST, rowFile } from './exact_file.js';
import { FORMS, readExact } from './exact_rows.js';

const words = text.exactRows;
const SAID_MS = 1000;
const NAMED = 5; /* of runs that were deleted */
export const RUNS_MOST = 1000; /* of one group that is drawn by a filter */

async function membersOf({ members, filter }, { path, signal }) {
	if (filter === undefined) return { runs: members.map((id) => ({ id, name: id })) };
	const answer = await ask('GET', `${path}/runs?${queryOf({ filter, limit: RUNS_MOST })}`, undefined, { signal });
	if (answer.status !== 200) return { fault: answer };
	const { items, next_cursor: more } = answer.body;
	return { runs: items.map((run) => ({ id: run.id, name: nameOf(run) })), isMany: more !== null };
}

/* Of what is drawn each run once; {runs, many: names of groups that have more} or {fault}. */
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

function progressCard() {
	const ends = new AbortController();
	const bar = el('progress', { 'aria-label': words.head });
	const [now, said] = [el('p', { 'aria-hidden': 'true' }), el('p', { class: 'sr', role: 'status' })];
	let saidAt = -Infinity;
	const stop = button(words.stop, { onclick: () => card.close() });
	const card = dialog(words.head, el('div', {}, bar, now, said), { actions: stop, onclose: () => ends.abort() });
	return {
		signal: ends.signal,
		/* What is seen at once is said once a second. */
		tell({ nth, runs, rows }) {
			const line = words.reading(nth, runs, rows);
			if (runs > 1) Object.assign(bar, { max: runs, value: nth - 1 });
			now.replaceChildren(line);
			if (performance.now() - saidAt < SAID_MS) return;
			saidAt = performance.now();
			said.replaceChildren(line);
		},
		/* With something to read it stays. */
		end(...lines) {
			if (!lines.some(Boolean)) return card.close();
			for (const node of [bar, now]) node.remove();
			said.classList.remove('sr');
			said.replaceChildren(lines.filter(Boolean).join(' '));
			return stop.replaceChildren(text.controls.close);
		},
	};
}

const keysOf = ({ keys, data: { x } }) => x[0] === '_' || keys.includes(x) ? keys : [...keys, x];

/* Within which rows are told, of what is seen. */
const stepsOf = (zoom) => zoom && [Math.max(0, Math.floor(zoom[0])), Math.ceil(zoom[1])];

async function readTo(file, { panel, kind, card }) {
	const { fault, runs, many } = await runsOf(panel, card.signal);
	if (fault) return { fault };
	const read = await readExact({
		path: panel.page.path, runs, keys: keysOf(panel), kind, file, signal: card.signal,
		zoom: panel.data.x === '_step' && stepsOf(panel.look.zoom),
		told: (nth, rows) => card.tell({ nth, runs: runs.length, rows }),
	});
	return { ...read, many };
}

const namesOf = (runs) => text.system.andMore(runs.slice(0, NAMED).join(', '), Math.max(0, runs.length - NAMED));

/* By names of runs that were deleted what is told of the file. */
export const lostOf = (gone, cut) => [
	gone.length > 0 && words.gone(namesOf(gone), gone.length),
	cut.length > 0 && words.cut(namesOf(cut)),
];

/* kind: of FORMS. */
export async function saveExact(panel, kind) {
	const card = progressCard();
	const file = rowFile();
	const { fault, full, gone, cut, many } = await readTo(file, { panel, kind, card });
	if (card.signal.aborted) return;
	if (fault) return card.end(text.fault.of(fault));
	saveBlob(file.blob(FORMS[kind].type), `${panel.name}-rows.${kind}`);
	card.end(full && words.most[full](MOST[full]), ...lostOf(gone, cut),
		many?.length > 0 && words.mostRuns(many, RUNS_MOST));
}
