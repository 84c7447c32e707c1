/*
 * Ways to one line among all: by its writer and number, by a moment, by how many came before it. Who goes elsewhere while
 * it is looked for is left there.
 */

import { ask } from '../api.js';
import { count } from '../base/format.js';
import { setQuery } from '../router.js';
import { text } from '../text/logs.js';
import { keyOf } from './log_line.js';
import { orderNamed } from './log_order.js';
import { byPlace } from './log_pages.js';

const words = text.logs;

/* logs: the page, see pages/run_logs.js. The line, or the one that comes next of its writer; null: none does. */
async function readLine(logs, { writer, line }) {
	const params = new URLSearchParams({ writers: writer, from: line, limit: 1, ...logs.order.asked });
	const answer = await ask('GET', `${logs.path}/console?${params}`, undefined, { signal: logs.ends.signal });
	return answer.status === 200 ? answer.body.items[0] ?? null : null;
}

/* Returns the writers to look for a line in, the lowest number first: all of the label, if none is named. */
function writersOf(logs, { label, writer }) {
	const writers = logs.rows.find((one) => one.label === label)?.writers ?? [];
	return (writer === null ? [...writers] : writers.filter((one) => one === writer)).sort((a, b) => a - b);
}

/* The end instead, and why. */
function endOf(logs, why) {
	const ended = logs.toEnd();
	logs.miss(why);
	return ended;
}

/* The line that it came to; null: to none. */
export async function goToLine(logs, { label, line, writer: wanted = null }) {
	const jumps = logs.list.jumps();
	for (const writer of writersOf(logs, { label, writer: wanted })) {
		const found = await readLine(logs, { writer, line });
		if (jumps !== logs.list.jumps()) return null;
		if (!found) continue;
		logs.pause();
		return await logs.list.goTo(found, keyOf(found)) ? found : null;
	}
	const isThere = logs.rows.some((row) => row.label === label);
	await endOf(logs, isThere ? words.noLine(label, count(line)) : words.noLabelOf(label));
	return null;
}

/* In another order than before. */
export async function goToSame(logs, line) {
	const jumps = logs.list.jumps();
	const found = await readLine(logs, line);
	if (jumps !== logs.list.jumps()) return null;
	return found ? logs.list.goTo(found, keyOf(found)) : logs.toEnd();
}

/* Also where lines do not go by time: the line that came next of those that are shown says which. Gives it, or null. */
export async function goToMoment(logs, time) {
	const jumps = logs.list.jumps();
	const scope = { ...logs.scope, order: { ...orderNamed('time'), asked: logs.order.asked } };
	const page = await byPlace(scope, logs.ends.signal).after({ time, writer: -1, line: -1 }, 1);
	if (jumps !== logs.list.jumps()) return null;
	const [found] = page.items;
	if (found) return await logs.list.goTo(found, keyOf(found)) ? found : null;
	await logs.toEnd();
	return null;
}

/*
 * ':1283246': of one label the line with that number, else about where so many lines have come. The search that was
 * ends; the line is marked, and the address leads to it.
 */
export async function goToNumber(logs, n) {
	setQuery({ find: null, at: null });
	const { one, isNone } = logs.scope;
	if (isNone) return;
	if (one === null && n > logs.lines) return void await endOf(logs, words.fewer(count(logs.lines)));
	const time = one === null ? logs.density.timeOf(n) : null;
	if (one === null && time === null) return;
	logs.pause();
	const label = logs.rows.find((row) => row.writers.includes(one))?.label;
	const found = await (one === null ? goToMoment(logs, time) : goToLine(logs, { label, line: n, writer: one }));
	if (found) logs.point(found);
}
