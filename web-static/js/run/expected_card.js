/* How many writers there are to be, and who is live, late, lost or was never seen. */

import { ask } from '../api.js';
import { el, replace } from '../base/dom.js';
import { count, duration } from '../base/format.js';
import { byName, neverSeen } from '../chart/kinds/expected.js';
import { text as common } from '../text/common.js';
import { text } from '../text/writers.js';
import { button } from '../ui/controls.js';
import { dialog } from '../ui/dialog.js';
import { icon } from '../ui/icons.js';
import { countedCard } from './card.js';
import { lateAfter } from './writer_state.js';

const words = text.runExpected;
const NAMED = 3;

function names(labels) {
	const more = labels.length - NAMED;
	return labels.slice(0, NAMED).join(', ') + (more > 0 ? ` ${words.more(count(more))}` : '');
}

function line(state, what, why) {
	return el('li', { class: 'miss' }, el('span', { class: `state ${state}` }, icon(state)),
		el('span', { class: 'clip', title: what }, what),
		el('span', { class: 'muted clip', title: why }, why));
}

/* Returns lines for writers that send rows by hand. They are not ranks, and they are not expected to write. */
function byHand(writers) {
	const hands = writers.filter((writer) => writer.role === 'hand');
	return ['alive', 'ended'].map((state) => [state, hands.filter(({ shown }) => shown === state).length])
		.filter(([, many]) => many > 0)
		.map(([state, many]) => line(state, words.sentByHand[state](count(many)), words.notAwaited));
}

function lines(data, expected) {
	const writers = byName(data.look().writers);
	const of = (state) => writers.filter((writer) => writer.shown === state).map((writer) => writer.label);
	const [late, lost] = [of('late'), of('lost')];
	const never = expected ? neverSeen(writers.map((writer) => writer.label), expected.value) : { labels: [], unnamed: 0 };
	const missing = never.labels.length + never.unnamed;
	return [
		line('live', words.live(count(of('alive').length)), words.heardWithin(duration(lateAfter(data.limit)))),
		late.length > 0 && line('late', words.late(count(late.length)),
			words.silentFor(names(late), duration(lateAfter(data.limit)))),
		lost.length > 0 && line('lost', words.lost(count(lost.length)), words.overLimit(names(lost), duration(data.limit))),
		of('ended').length > 0 && line('ended', words.ended(count(of('ended').length)), ''),
		...byHand(data.look().writers),
		expected && line('missing', words.neverCount(count(missing)),
			never.labels.length ? names(never.labels) : missing ? '' : words.allSeen),
	];
}

function askNumber(data) {
	const input = el('input',
		{ id: 'expected', type: 'number', min: 0, max: 16384, value: data.run.expected_writers || '' });
	const fault = el('p', { class: 'fault', role: 'alert' });
	const save = button(words.save, { look: 'primary', onclick: async () => {
		const answer = await ask('PATCH', data.path, { expected_writers: input.value ? Number(input.value) : null });
		if (answer.status !== 200) return replace(fault, common.fault.of(answer));
		data.takeRun(answer.body);
		return card.close();
	} });
	const card = dialog(words.set,
		[el('p', {}, words.how), el('label', { class: 'labelled' }, words.number, input), fault],
		{ actions: save });
	input.focus();
}

export function expectedCard(data) {
	const { expected } = data;
	const countText = !expected ? words.unknown : expected.key ? words.from(count(expected.value), expected.key)
		: words.byHand(count(expected.value));
	const canSet = data.mayWrite && data.run.expected_writers !== undefined;
	return countedCard(words.name, countText,
		canSet && button(words.set, { look: 'plain small', onclick: () => askNumber(data), 'data-key': 'set-expected' }),
		el('div', { class: 'body' }, el('ul', {}, lines(data, expected))));
}
