/* The media that a run logged under a key, at each of its steps. */

import { ask } from '../../api.js';
import { listText, queryOf } from '../../base/query_text.js';
import { someRows } from '../data/some_rows.js';
import { inOrder, layerPattern, maskNames, namesOf, valueIn } from './values.js';

const MOST = 2000; /* values of a run; of a run that has more each n-th is read */
const LAYERS = 1000;
const NO_SUCH = [400, 404]; /* the pattern of a long key, no configuration */

/* {names: of the key's members in rows} or {fault}. project: its path. */
export async function readNames(project, key, { signal }) {
	const answer = await ask('GET', `${project}/keys?${queryOf({ match: layerPattern(key), limit: LAYERS })}`, undefined, { signal });
	if (NO_SUCH.includes(answer.status)) return { names: namesOf(key, []) };
	if (answer.status !== 200) return { fault: answer };
	return { names: namesOf(key, answer.body.items.map((item) => item.key)) };
}

async function readSome(path, key, { names, after = null, signal }) {
	const { rows, every, fault } = await someRows(path, { most: MOST, keys: listText(names), after, signal });
	if (!rows) return { fault };
	const entries = rows.map((row) => ({ row: row._row, step: row._step, value: valueIn(row, key) })).filter(({ value }) => value);
	return { entries, every, last: rows.at(-1)?._row ?? after };
}

/*
 * {entries, every, last: row that was read} or {fault}, and neither if the signal ended it. before: what was read before, to which
 * newer ones are added. If each n-th was read, the rows after the last one are read, too: the latest value is among them.
 */
export async function readEntries(path, key, { names, before = null, signal }) {
	const first = before ?? await readSome(path, key, { names, signal });
	if (!first.entries || (!before && first.every === 1)) return first.entries ? { ...first, entries: inOrder(first.entries) } : first;
	const more = await readSome(path, key, { names, after: first.last, signal });
	if (!more.entries) return more;
	return { entries: inOrder([...first.entries, ...more.entries]), every: Math.max(first.every, more.every), last: more.last };
}

const labels = new Map(); /* promises of what a run says of its masks, by its path */
const AT = 'pointer=/_wandb/mask~1class_labels';

/* Names of the classes of masks under a key, by their layer. */
export async function readMaskNames(path, key) {
	if (!labels.has(path)) labels.set(path, ask('GET', `${path}/config?${AT}`));
	const { status, body } = await labels.get(path);
	if (status !== 200) labels.delete(path);
	return status === 200 ? maskNames(body, key) : {};
}
