/* The page of a run's writers: which of them are slow, silent, missing, or disagree. */

import { ask } from '../api.js';
import { serverNow } from '../base/clock.js';
import { arrange, el, replace } from '../base/dom.js';
import { duration } from '../base/format.js';
import { toTheEnd } from '../chart/kinds/ranks.js';
import { readSheet } from '../chart/kinds/read_sheet.js';
import { momentOf, zoomOf, zoomText } from '../chart/panel/zoom.js';
import { onQuery, query, setQuery } from '../router.js';
import { countedCard } from '../run/card.js';
import { conflictCard } from '../run/conflict_card.js';
import { expectedCard } from '../run/expected_card.js';
import { firstMeasure, measureIn, measureQuery, measuresOf } from '../run/measures.js';
import { ranksCard } from '../run/ranks_card.js';
import { readOnChange } from '../run/read_on_change.js';
import { slowCard } from '../run/slow_card.js';
import { spans } from '../run/states_scale.js';
import { stateBar, stateTable } from '../run/timeline.js';
import { lostFor, lostStates } from '../run/writer_lost.js';
import { writersList } from '../run/writers_list.js';
import { systemKeys } from '../system/metrics.js';
import { text } from '../text/writers.js';
import { button } from '../ui/controls.js';
import { later } from '../ui/later.js';
import { redrawn } from '../ui/redrawn.js';

const words = text.runWriters;
const KEYS = 5000;
const act = later(() => import('../run/actions.js'));

/* Null if they cannot be read. */
async function readKeys(data) {
	const keys = [];
	for (let cursor = ''; cursor !== null && keys.length < KEYS;) {
		const answer = await ask('GET', `${data.path}/keys?limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
			undefined, data.options);
		if (answer.status !== 200) return null;
		keys.push(...answer.body.items);
		cursor = answer.body.next_cursor;
	}
	return keys;
}

function statesCard(data) {
	const now = serverNow();
	return countedCard(words.statesName, duration(spans(data.states, now).wall),
		data.mayWrite && button(words.correct,
			{ look: 'plain small', onclick: () => act('correctState', data), 'data-key': 'correct' }),
		el('div', { class: 'body' }, stateBar(data.states, now)), stateTable(data.states));
}

const hasSystem = (data) => data.writers.some((writer) => writer.event_rows > 0);

/* By what ranks can be compared, and what to begin with; one writer cannot be compared. Null if they cannot be read. */
async function readMeasures(data) {
	if (data.writers.length < 2) return {};
	const [keys, system] = await Promise.all([readKeys(data), hasSystem(data) ? systemKeys(data) : {}]);
	if (!keys) return null;
	const measures = measuresOf(keys, system.keys || []);
	return { measures, first: firstMeasure(keys, measures) };
}

/* Seconds as the address has them; a zoom replaces the moment. */
const asText = ({ moment, span }) => span
	? { span: zoomText(span, '_timestamp'), moment: null } : { moment: String(Number(moment.toFixed(3))) };

/* The strip and the slowest of it. */
function sheetParts(data, { measures, first }) {
	const slow = el('div', { class: 'redrawn' });
	const chosenNow = () => measureIn(query(), measures) || first;
	let measure = chosenNow();
	let span = zoomOf(query().get('span'));
	const looked = () => ({ moment: momentOf(query()), span });
	const take = (picked) => setQuery(asText(picked), { replace: false });
	const strip = ranksCard(measures, { chosen: measure, address: data.address, looked, take, onmeasure: (next) => {
		measure = next;
		setQuery(measureQuery(next, first), { replace: false });
		turns.hurry();
	} });

	function states() {
		if (data.run.ended_at) return lostStates(data.writers);
		return new Map(data.look().writers.map((writer) => [writer.label, writer.shown]));
	}

	/* Extends the rows of lost writers to the end of the run, though there is no data by then. */
	function whole(sheet) {
		return data.run.ended_at && !span ? toTheEnd(sheet, lostFor(data.run, data.writers, states())) : sheet;
	}

	function show(sheet) {
		strip.update(whole(sheet), states());
		slow.slow = new Map(sheet.rows.map((row) => [row.label, row.far]));
		replace(slow, slowCard(sheet));
	}

	/* Back and forward lead to others, too. */
	const stopQuery = onQuery(() => {
		const next = chosenNow();
		const before = String(span);
		span = zoomOf(query().get('span'));
		strip.mark();
		if (next === measure && before === String(span)) return;
		measure = next;
		strip.choose(measure);
		turns.hurry();
	});

	const samples = () => measure.kind === 'system' && data.writers.reduce((sum, one) => sum + one.event_rows, 0);
	const wanted = () => JSON.stringify([measure.id, span, data.run.rows, samples(), [...states()]]);
	const turns = readOnChange({ wanted, read: () => readSheet(data, measure, span), show });
	const stop = () => {
		stopQuery();
		turns.stop();
		strip.stop();
	};
	return { node: strip.node, slow, update: turns.update, stop };
}

/*
 * The strip and the slowest of it, once there is something to compare by: writers and their keys may come while the tab is open, and keys
 * that could not be read are read again. begin() is a promise of the first reading.
 */
function sheetPlace(data, changed) {
	const place = { sheet: null, begin: null, update, stop };
	const seen = () => [data.writers.length > 1, data.run.rows > 0, Object.keys(data.summary).length, hasSystem(data)];

	function show(given) {
		if (place.sheet || !given.first) return;
		place.sheet = sheetParts(data, given);
		changed();
		place.sheet.update();
	}

	const turns = readOnChange({ wanted: () => JSON.stringify(seen()), read: () => readMeasures(data), show });

	function update() {
		if (place.sheet) place.sheet.update();
		else turns.update();
	}

	function stop() {
		turns.stop();
		place.sheet?.stop();
	}

	return Object.assign(place, { begin: turns.hurry });
}

export async function writersTab(address, { run: data }) {
	const place = sheetPlace(data, () => draw());
	const list = writersList(data, () => place.sheet?.slow.slow);
	const expected = redrawn(() => [data.look().counts, data.expected, data.mayWrite], () => expectedCard(data));
	const conflicts = redrawn(() => data.conflicts, () => conflictCard(data));
	const states = redrawn(() => [data.states, data.run.ended_at ? 0 : Math.floor(serverNow() / 10000), data.mayWrite],
		() => statesCard(data));
	const parts = [place, expected, conflicts, list, states];
	const cards = el('div');
	const stack = el('div', { class: 'stack' });

	function draw() {
		const { sheet } = place;
		cards.className = sheet ? 'trio' : 'pair';
		arrange(cards, [sheet?.slow, expected.node, conflicts.node].filter(Boolean));
		arrange(stack, [sheet?.node, cards, list.node, states.node].filter(Boolean));
	}

	function update() {
		for (const part of parts) part.update();
	}

	draw();
	await place.begin().catch((fault) => {
		place.stop();
		throw fault;
	});
	return { node: el('div', { class: 'scroll', 'data-scroll': 'writers' }, stack), update, stop: place.stop };
}
