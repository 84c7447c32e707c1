/* Ways to one line among all: by its writer and number, by a moment, by how many came before it. */

import { ask } from '../api.js';
import { keyOf } from './log_line.js';
import { byTime } from './log_pages.js';

/* logs: the page, see pages/run_logs.js. */
export async function goToLine(logs, { label, line }) {
	const row = logs.rows.find((one) => one.label === label);
	for (const writer of row?.writers ?? []) {
		const answer = await ask('GET', `${logs.path}/console?writers=${writer}&from=${line}&limit=1`, undefined,
			{ signal: logs.ends.signal });
		if (answer.status !== 200 || !answer.body.items.length) continue;
		logs.pause();
		return logs.list.goTo(answer.body.items[0], keyOf(answer.body.items[0]));
	}
	return logs.toEnd();
}

/* One writer goes by number: the line of it that came next says which. */
export async function goToMoment(logs, time) {
	const { one, stream } = logs.scope;
	const page = await byTime({ path: logs.path, writers: String(one), stream },
		logs.ends.signal).after({ time, writer: -1, line: -1 }, 1);
	if (page.items.length) return logs.list.goTo(page.items[0], keyOf(page.items[0]));
	return logs.toEnd();
}

/* ':1283246': of one label the line with that number, else about where so many lines have come. */
export function goToNumber(logs, n) {
	const { one } = logs.scope;
	if (one !== null) return goToLine(logs, { label: logs.rows.find((row) => row.writers.includes(one)).label, line: n });
	const time = logs.density.timeOf(n);
	return time === null ? null : logs.goToTime(time);
}
