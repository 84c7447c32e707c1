/*
 * The three clocks of a run and its end: when it was heard, when data came and how much, whether its step moves. They
 * differ: a run may be heard and send rows without progress.
 */

import { askLines } from '../api_forms.js';
import { serverNow } from '../base/clock.js';
import { el, replace, svg } from '../base/dom.js';
import { count, duration, number } from '../base/format.js';
import { listed } from '../base/query_text.js';
import { reread } from '../base/reread.js';
import { text } from '../text/overview.js';
import { icon } from '../ui/icons.js';
import { ago } from '../ui/times.js';
import { pace, untilEnd } from './pace.js';
import { stalledFor } from './stalled.js';
import { spans } from './states_scale.js';

const words = text.runClocks;
const ROWS = [300, 2000]; /* from which the pace is computed, for a few processes and for many */
const ROWS_EACH = 12;
const WIDE = 100;
const PACE_MS = 3000;

const joined = (parts) => parts.filter(Boolean).join(', ');

function spark(values) {
	if (values.length < 3) return null;
	const top = Math.max(...values);
	const low = Math.min(0, ...values);
	const points = values.map((value, index) =>
		`${(index / (values.length - 1) * 100).toFixed(1)},${(22 - (value - low) / (top - low || 1) * 20).toFixed(1)}`).join(' ');
	return svg('svg', { class: 'spark', viewBox: '0 0 100 24', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
		svg('polygon', { points: `0,24 ${points} 100,24` }), svg('polyline', { points }));
}

function box(name, glyph, value, detail, values = []) {
	return el('div', { class: 'clock' }, el('div', { class: 'clock-name' }, icon(glyph), name),
		el('div', { class: 'clock-value' }, value), el('div', { class: 'clock-detail' }, detail), spark(values));
}

/* The latest rows; of many keys one alone, for a row may be wide. */
function readRows(data) {
	const query = new URLSearchParams({ format: 'ndjson' });
	const wanted = Math.min(ROWS[1], Math.max(ROWS[0], ROWS_EACH * data.writers.length));
	if (data.run.rows > wanted) query.set('after', data.run.rows - wanted - 1);
	const keys = Object.keys(data.summary).filter((key) => typeof data.summary[key] === 'number');
	if (keys.length > WIDE) query.set('keys', listed(keys[0]));
	return askLines(`${data.path}/history?${query}`, data.options);
}

/* Returns whether all rows were sent by hand. Then no writer is expected, and the run goes on until a user ends it. */
const isByHand = ({ run, writers }) => !run.ended_at && writers.length > 0 && writers.every(({ role }) => role === 'hand');

function limitOf(data) {
	return data.run.ended_at || isByHand(data) ? '' : words.limit(duration(data.limit));
}

function heartbeat(data) {
	const { heard_at: heard, state } = data.run;
	return box(words.heartbeat, 'heart', ago(heard), isByHand(data) ? words.byHand(data.run.id) : limitOf(data) || state);
}

function dataAge({ writers }) {
	const times = writers.map((writer) => writer.data_at).filter(Boolean).sort();
	return times.length > 0 && [ago(times.at(-1)), ', '];
}

function rows(data, speed) {
	const dropped = data.writers.reduce((sum, writer) => sum + writer.dropped_rows, 0);
	const isPaced = !data.run.ended_at && speed.rows !== null;
	const detail = words.rows(isPaced ? count(data.run.rows) : '', count(dropped),
		data.run.unread_lines ? count(data.run.unread_lines) : '');
	const value = isPaced ? words.rate(number(speed.rows)) : words.rowsNow(count(data.run.rows));
	return box(words.data, 'rows', value, [dataAge(data), joined([limitOf(data), detail])], speed.counts);
}

function progressWords({ run, total }, speed) {
	const parts = [];
	if (!run.ended_at && speed.steps) parts.push(words.steps(number(speed.steps)));
	if (total && run.last_step !== null) parts.push(words.share(number((run.last_step + 1) / total.value * 100),
		count(total.value), total.key));
	return joined(parts);
}

function progress(data, speed, latest) {
	const stalled = stalledFor(data, latest, serverNow());
	const value = data.run.last_step === null ? words.noStep : words.step(count(data.run.last_step));
	const detail = joined([stalled && words.stalled(duration(stalled)), limitOf(data), progressWords(data, speed)]);
	return box(words.progress, 'stairs', value, detail, speed.reached);
}

/* Only where an end is known. */
function finish(data, speed) {
	const rest = data.run.ended_at ? null : untilEnd(data.total, data.run.last_step, speed.steps);
	if (rest === null) return null;
	return box(words.finish, 'clock', words.in(duration(rest)),
		words.basis(duration(spans(data.states, serverNow()).wall), data.total.key));
}

/* {node, update, stop}; the pace is read again when rows have arrived, every few seconds at most. */
export function clocks(data) {
	const node = el('section', { class: 'clocks', 'aria-label': words.name });
	let latest = [];
	let read = -1;

	function draw() {
		const speed = pace(latest, data.run.ended_at ? 0 : serverNow() / 1000);
		const boxes = [heartbeat(data), rows(data, speed), progress(data, speed, latest), finish(data, speed)].filter(Boolean);
		node.style.setProperty('--clocks', boxes.length);
		replace(node, boxes);
	}

	const reading = reread(async () => {
		read = data.run.rows;
		const answer = await readRows(data);
		if (answer.status !== 200) return answer;
		latest = answer.items;
		draw();
		return null;
	}, () => PACE_MS);

	function update() {
		draw();
		if (read !== data.run.rows) reading.soon();
	}

	update();
	return { node, update, stop: reading.stop };
}
