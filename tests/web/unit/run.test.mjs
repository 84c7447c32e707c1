import assert from 'node:assert/strict';
import test from 'node:test';

import { hostSlots, labelSlots } from '../../../web-static/js/base/label_slots.js';
import { histogramIn, typedWords } from '../../../web-static/js/run/shown_value.js';
import { slotAlone } from '../../../web-static/js/base/slot.js';
import { ownLeaves } from '../../../web-static/js/base/leaves.js';
import { byPrefix, matching } from '../../../web-static/js/run/leaf_rows.js';
import { facts, surroundings } from '../../../web-static/js/run/facts.js';
import { inline, markdown } from '../../../web-static/js/ui/markdown.js';
import { errorLines, plainErrors } from '../../../web-static/js/run/error_lines.js';
import { differing } from '../../../web-static/js/run/differing.js';
import { byName, neverSeen } from '../../../web-static/js/chart/kinds/expected.js';
import { totalSteps, worldSize } from '../../../web-static/js/run/progress.js';
import { pace, untilEnd } from '../../../web-static/js/run/pace.js';
import { fewerColumns, firstKey, folded, oddRows, sheetOf, slowest, slowSide, toTheEnd } from '../../../web-static/js/chart/kinds/ranks.js';
import { firstMeasure, measureIn, measureQuery, measuresOf } from '../../../web-static/js/run/measures.js';
import { meanCells, rateCells, stepCells, stepsWithin } from '../../../web-static/js/chart/kinds/measure_cells.js';
import { measured } from '../../../web-static/js/chart/kinds/sheet_statistics.js';
import { extent, spans, stretches } from '../../../web-static/js/run/states_scale.js';
import { writerStates } from '../../../web-static/js/run/writer_states.js';
import { lostFor, lostLabels, lostSpan, lostStates } from '../../../web-static/js/run/writer_lost.js';
import { writerRates } from '../../../web-static/js/run/writer_rates.js';
import { lateAfter, look } from '../../../web-static/js/run/writer_state.js';
import { behind, byConcern, headStep, isFarBehind } from '../../../web-static/js/base/writer_order.js';
import { yaml } from '../../../web-static/js/run/yaml.js';
import { text } from '../../../web-static/js/text/overview.js';

const NOW = Date.parse('2026-03-01T10:00:00Z');

function writer(label, more = {}) {
	return { number: 0, label, role: 'worker', state: 'alive', heard_at: '2026-03-01T10:00:00Z', last_step: 10, history_rows: 10, ...more };
}

test('late is silent for two beats, of the beat that the limit makes', () => {
	assert.deepEqual([15, 30, 90, 300, 3600].map(lateAfter), [10, 20, 60, 60, 60]);
	const silent = (seconds, more) => look([writer('a', { heard_at: new Date(NOW - seconds * 1000).toISOString(), ...more })], 30, NOW).writers[0].shown;
	assert.deepEqual([silent(19), silent(21), silent(21, { state: 'lost' }), silent(21, { role: 'hand' })], ['alive', 'late', 'lost', 'alive']);
});

test('states of a writer are those that its record tells', () => {
	const told = (more) => writerStates(writer('a', { joined_at: '2026-03-01T09:00:00Z', ended_at: null, ...more }), 90)
		.map(({ at, state }) => [new Date(at).toISOString().slice(11, 19), state]);
	assert.deepEqual(told({ shown: 'alive' }), [['09:00:00', 'alive']]);
	assert.deepEqual(told({ shown: 'late' }), [['09:00:00', 'alive'], ['10:01:00', 'late']]);
	assert.deepEqual(told({ shown: 'lost' }), [['09:00:00', 'alive'], ['10:01:00', 'late'], ['10:01:30', 'lost']]);
	assert.deepEqual(told({ shown: 'ended', state: 'ended', ended_at: '2026-03-01T10:05:00Z' }),
		[['09:00:00', 'alive'], ['10:05:00', 'ended']]);
});

test('concern: lost, late, who is far behind, the primary, who is slow, then by their names', () => {
	const shown = [writer('rank10'), writer('rank2'), writer('rank0', { role: 'primary' }), writer('slow'), writer('gone'), writer('tired')]
		.map((one) => ({ ...one, shown: { gone: 'lost', tired: 'late' }[one.label] || 'alive' }));
	assert.deepEqual(byConcern(shown, new Map([['slow', 8]])).map((one) => one.label), ['gone', 'tired', 'rank0', 'slow', 'rank2', 'rank10']);
	const back = [...shown.slice(0, 5), { ...writer('back', { last_step: 900, history_rows: 900 }), shown: 'alive' }, { ...writer('head', { last_step: 1000, history_rows: 1000 }), shown: 'alive' }];
	assert.deepEqual(byConcern(back).map((one) => one.label).slice(0, 3), ['gone', 'back', 'rank0']);
});

test('who logs far more rarely than others is not behind them', () => {
	const all = [writer('a', { last_step: 1000, history_rows: 1000 }), writer('eval', { last_step: 900, history_rows: 10 }), writer('none', { last_step: null, history_rows: 0 })];
	assert.equal(headStep(all), 1000);
	assert.deepEqual(all.map((one) => behind(one, 1000, all)), [0, null, null]);
	const far = (shown, steps) => isFarBehind({ shown }, steps);
	assert.deepEqual([far('alive', 51), far('alive', 50), far('lost', 51), far('ended', 51), far('alive', null)], [true, false, true, false, false]);
	assert.equal(headStep([]), null);
});

test('lost writers are named, however the run ended', () => {
	assert.deepEqual(lostLabels([{ label: 'a', shown: 'lost' }, { label: 'b', shown: 'ended' }, { label: 'c', shown: 'lost' }]), ['a', 'c']);
	assert.deepEqual(lostLabels([{ label: 'a', shown: 'late' }]), []);
});

test('several lost writers are told by the range of their steps and times', () => {
	const lost = [writer('a', { last_step: 239 }), writer('b', { last_step: null }), writer('c', { last_step: 149, heard_at: '2026-03-01T09:59:00Z' })];
	assert.deepEqual(lostSpan(lost), { heard: [NOW - 60e3, NOW], steps: [149, 239] });
	assert.equal(lostSpan([lost[1]]).steps, null);
	const told = text.runOverview.lostSince;
	assert.deepEqual([told(['10:00', '10:00'], ['239', '239']), told(['09:59', '10:00'], ['149', '239']), told(['10:00', '10:00'], [])],
		[', last heard 10:00, at step 239. ', ', last heard between 09:59 and 10:00, at steps 149 to 239. ', ', last heard 10:00. ']);
});

test('the rate of a steady writer is steady, and none is said before it is known', () => {
	const read = writerRates();
	const steady = (at) => [writer('a', { number: 1, history_rows: 7 + Math.floor(at / 4) })];
	const told = Array.from({ length: 150 }, (_, at) => read(steady(at), at * 1000).get(1));
	assert.deepEqual([...new Set(told.slice(0, 15))], [undefined]);
	assert.ok(told.slice(15).every((rate) => Math.abs(rate - 0.25) < 0.07), told.join(' '));
	assert.ok(told.slice(60).every((rate) => Math.abs(rate - 0.25) < 0.02), told.join(' '));
});

test('a rate falls within about a minute of silence, is of the time a writer is known, and none of one that ended', () => {
	const read = writerRates();
	const of = (at, late) => [writer('a', { number: 0, history_rows: Math.min(at, 100) }), late && writer('b', { number: 1, history_rows: 3 * at }),
		writer('c', { number: 2, state: 'ended', history_rows: at })].filter(Boolean);
	const told = Array.from({ length: 181 }, (_, at) => read(of(at, at > 40), at * 1000));
	assert.deepEqual([told[100].get(0), told[175].get(0)], [1, 0]);
	assert.deepEqual([told[50].get(1), told[90].get(1), told[150].get(1)], [undefined, 3, 3]);
	assert.ok(told.every((rates) => !rates.has(2)));
});

test('readings far apart are a rate of all the time between them', () => {
	const read = writerRates();
	assert.equal(read([writer('a', { history_rows: 0 })], 0).size, 0);
	assert.equal(read([writer('a', { history_rows: 600 })], 300e3).get(0), 2);
	assert.equal(read([writer('a', { history_rows: 600 })], 360e3).get(0), 0);
});

test('states to scale', () => {
	const changes = [['pending', '09:00'], ['running', '09:10'], ['crashed', '09:40'], ['crashed', '09:41'], ['running', '09:50']]
		.map(([to, at], index, all) => ({ from: index ? all[index - 1][0] : null, to, at: `2026-03-01T${at}:00Z` }));
	const bar = stretches(changes, NOW);
	assert.deepEqual(bar.map((one) => one.state), ['pending', 'running', 'crashed', 'running']);
	assert.equal(bar[bar.length - 1].to, 1);
	assert.deepEqual(spans(changes, NOW), { wall: 3600, running: 2400 });
	const ended = stretches([...changes, { from: 'running', to: 'finished', at: '2026-03-01T10:00:00Z' }], NOW + 1e9);
	assert.equal(ended[ended.length - 1].ends, false);
	const { begin, end, whole } = extent([...changes, { from: 'running', to: 'finished', at: '2026-03-01T10:00:00Z' }], NOW + 1e9);
	assert.deepEqual([end - begin, whole], [3600e3, 3600e3 * 1.04]);
	assert.deepEqual(stretches([], NOW), []);
});

test('ends are told by the config alone', () => {
	assert.deepEqual(totalSteps({ train: { max_steps: '500' }, steps: 3 }), { key: 'train.max_steps', value: 500 });
	assert.equal(totalSteps({ max_steps: -1, total_steps: 'many' }), null);
	assert.deepEqual(worldSize({ WORLD_SIZE: 8 }), { key: 'WORLD_SIZE', value: 8 });
	assert.equal(untilEnd({ value: 100 }, 49, 2), 25);
	assert.deepEqual([untilEnd(null, 1, 1), untilEnd({ value: 10 }, 20, 1), untilEnd({ value: 10 }, 1, 0)], [null, null, null]);
});

test('error lines are those that the server calls so, with their tracebacks', () => {
	const line = (said, more = {}) => ({ writer: 0, stream: 'stderr', text: said, ...(/Error|Traceback/.test(said) && { level: 'error' }), ...more });
	const lines = [line('10 %\r20 %'), line('RuntimeError: first', { stream: 'stdout' }), line('Traceback (most recent call last):'),
		line('epoch 3', { stream: 'stdout' }), line('  File "a.py"'), line('other', { writer: 1 }), line('ValueError: x'), line('bye')];
	assert.deepEqual(errorLines(lines).map(({ text: said }) => said),
		['RuntimeError: first', 'Traceback (most recent call last):', '  File "a.py"', 'ValueError: x']);
	assert.deepEqual(errorLines([line('Traceback (most recent call last):'), line('killed')]).length, 1, 'it did not come to its end');
	assert.deepEqual(errorLines(lines.map((one) => ({ ...one, level: undefined }))), []);
	assert.deepEqual(plainErrors(lines).map(({ text: said }) => said), ['Traceback (most recent call last):', '  File "a.py"', 'other', 'ValueError: x', 'bye']);
});

test('pace counts the silence of a run that goes on', () => {
	const rows = Array.from({ length: 11 }, (_, index) => ({ _step: index * 10, _timestamp: 1000 + index }));
	assert.deepEqual([pace(rows, 0).rows, pace(rows, 0).steps], [1, 10]);
	assert.equal(pace(rows, 1020).rows, 1, 'more may be under way');
	assert.equal(pace(rows, 1040).rows, 0.25);
	const old = Array.from({ length: 6 }, (_, index) => ({ _step: index, _timestamp: -5000 + index }));
	assert.equal(pace([...old, ...rows], 0).rows, 1);
	assert.equal(pace(rows, 0).counts.reduce((sum, one) => sum + one), 11);
	assert.deepEqual([pace([], 5).rows, pace(rows.slice(0, 1), 5).rows], [null, null]);
	assert.ok(pace(rows, 1013).counts.at(-1) > 0, 'what comes next may be under way');
	assert.equal(pace(rows, 1030).counts.at(-1), 0, 'silence is seen');
});

test('the pace of many processes: the rows of all, the steps of the quickest', () => {
	const of = (_label, every, count, step) => Array.from({ length: count }, (_, at) => ({ _label, _step: step + at, _timestamp: 1000 + at * every }));
	const found = pace([...of('rank0', 0.5, 40, 900), ...of('rank1', 0.5, 40, 900), ...of('rank2', 1, 20, 100), ...of('eval', 0, 2, 7)], 1019);
	assert.deepEqual([found.rows, found.steps], [2 + 2 + 1 + 1, 2], 'one that is far behind makes no steps');
	assert.equal(pace([...of('a', 1, 1, 0), ...of('b', 1, 3, 0)], 1002).steps, null, 'too few to say');
});

test('documents by key or value, folded by prefix', () => {
	const rows = ownLeaves({ a: { b: 1, c: [1, 2] }, 'x/y': 'Moe', z: {}, _wandb: { v: 1 } });
	assert.deepEqual(rows.map(([before, key]) => before + key), ['a.b', 'a.c', 'x/y', 'z']);
	assert.deepEqual(matching(rows, 'moe').map(([, key]) => key), ['x/y']);
	assert.deepEqual(matching(rows, ' A.C ').length, 1);
	assert.deepEqual(byPrefix(rows).map(([prefix, list]) => [prefix, list.length]), [['a.', 2], ['x/', 1], ['', 1]]);
});

test('a histogram is one value, whichever way its edges are told', () => {
	const told = { _type: 'histogram', values: [1, 2], bins: [0, 1, 2] };
	assert.deepEqual(ownLeaves({ grad: told, a: { _type: 'image', n: 1 } }).map(([before, key]) => before + key), ['grad', 'a._type', 'a.n']);
	assert.deepEqual(histogramIn(told), { counts: [1, 2], from: 0, to: 2 });
	assert.deepEqual(histogramIn({ _type: 'histogram', values: [1, 2], packedBins: { min: -1, size: 0.5, count: 2 } }), { counts: [1, 2], from: -1, to: 0 });
	assert.deepEqual(ownLeaves({ x: { _type: 'image-file', path: 'media/x.png', size: 3 } }).map(([, key]) => key), ['x']);
	assert.deepEqual([typedWords(told), typedWords({ _type: 'image-file', path: 'media/x.png' }), typedWords({ _type: 'table-file', path: {} })],
		['2 bins, 0 to 2', 'image-file media/x.png', 'table-file']);
	const none = [null, 'x', {}, { ...told, values: 'x' }, { ...told, values: [] }, { ...told, values: [-1, 1] }, { ...told, bins: [2, 2, 2] },
		{ ...told, bins: null, packedBins: null }, { ...told, values: Array(9999).fill(1) }];
	assert.deepEqual(none.map(histogramIn), none.map(() => null));
});

test('ranks that never sent a key have a row beside those that are called alike', () => {
	const answer = { columns: [{ at: 0, x_first: 0, x_last: 1, median: 1 }, { at: 1, x_first: 1, x_last: 2, median: 1 }],
		labels: ['rank0', 'rank1', 'rank3'].map((label) => ({ label, far: 0, slow: 0, mean: 1, values: [1, 1] })) };
	const rows = (...more) => sheetOf(answer, new Map(['rank0', 'rank1', 'rank3', ...more].map((label) => [label, 'n']))).rows;
	assert.deepEqual(rows('rank2', 'eval').map(({ label }) => label), ['rank0', 'rank1', 'rank2', 'rank3']);
	assert.ok(rows('rank2')[2].cells.every(Number.isNaN));
	assert.deepEqual(oddRows({ rows: rows('rank2') }, new Map([['rank2', 'lost']])).map(({ index, state }) => [index, state]), [[2, 'lost']]);
	assert.equal(rows('rank4', 'rank5', 'rank6', 'rank7').length, 3, 'a key of a few is of them alone');
});

test('a label has one colour, whoever joins later', () => {
	const writers = [{ number: 2, label: 'rank0', host: 'b' }, { number: 0, label: 'rank10', host: 'a' }, { number: 1, label: 'rank2', host: 'b' }];
	const of = (...known) => ['rank10', 'rank2', 'rank0'].map(labelSlots(known));
	assert.deepEqual(of(...writers), [0, 1, 2]);
	assert.deepEqual(of(...writers, { number: 3, label: 'rank1' }), [0, 1, 2]);
	assert.equal(labelSlots(writers)('unknown'), 3);
	const many = labelSlots(Array.from({ length: 25 }, (_, number) => ({ number, label: `rank${number}` })));
	assert.deepEqual([many('rank8'), many('rank24')], [8, 0]);
	assert.deepEqual(['b', 'a'].map(hostSlots(writers)), [1, 0], 'whichever is looked at first');
	const moved = [{ number: 0, label: 'main', host: 'a' }, { number: 1, label: 'main', host: 'b' }];
	assert.deepEqual(['b', 'a'].map(hostSlots(moved)), [1, 0], 'a label that moved has two hosts');
	assert.deepEqual(['a', 'b'].map(hostSlots([writers[1], { ...writers[2], number: 5, host: 'b' }])), [0, 1], 'alone on its host it is as its label');
	assert.equal(slotAlone({ id: 'x', color_slot: 19 }), 3);
});

test('yaml is read back as what it was', () => {
	assert.equal(yaml({ a: 1e-4, b: ['x', { c: null, d: [[]] }], e: 'no', 'k: y': 'two\nlines', f: '1', g: {} }),
		'a: 0.0001\nb:\n  - x\n  - c: null\n    d:\n      - []\ne: "no"\n"k: y": "two\\nlines"\nf: "1"\ng: {}\n');
});

test('markdown knows no html and no other links', () => {
	assert.deepEqual(inline('<b>x</b> [a](javascript:alert) **b `c`**'), ['<b>x</b> ', '[a](javascript:alert)', ' ',
		{ kind: 'strong', parts: ['b ', { kind: 'code', text: 'c' }] }]);
	assert.deepEqual(markdown('# t\na\nb\n\n- 1\n- 2\n\n```\n# no\n```\n> q').map((block) => block.kind),
		['heading', 'paragraph', 'list', 'pre', 'quote']);
	assert.deepEqual(inline('snake_case_name 2*3*4'), ['snake_case_name 2', { kind: 'em', parts: ['3'] }, '4']);
});

test('no notes take long', { timeout: 5000 }, () => {
	for (const bad of ['[', '*', '`a', '_a ', '**a', '# \n', '> ', '- \n', 'https://', '1. '])
		markdown(bad.repeat(65536 / bad.length));
});

test('who was never seen is named as the others are', () => {
	assert.deepEqual(neverSeen(['rank0', 'rank1', 'rank3', 'eval'], 5), { labels: ['rank2', 'rank4'], unnamed: 0 });
	const hosts = ['node0-rank0', 'node0-rank1', 'node1-rank2', 'node1-rank3'];
	assert.deepEqual(neverSeen(hosts, 4), { labels: [], unnamed: 0 }, 'the last number counts the ranks');
	assert.deepEqual(neverSeen(hosts, 5), { labels: ['rank4'], unnamed: 0 }, 'of which node is not known');
	assert.deepEqual(neverSeen(['n0.gpu0', 'n0.gpu1', 'n1.gpu0', 'n1.gpu1'], 4), { labels: [], unnamed: 0 }, 'numbers of each host');
	assert.deepEqual(neverSeen(['node-1', 'node-2'], 2), { labels: [], unnamed: 0 });
	assert.deepEqual(neverSeen(['a', 'b'], 4), { labels: [], unnamed: 2 });
	assert.deepEqual(byName([writer('r2'), writer('r10'), writer('r2', { state: 'lost' }), writer('me', { role: 'hand' })]).map((one) => [one.label, one.state]),
		[['r2', 'lost'], ['r10', 'alive']]);
});

const numbers = (cells) => [...cells].map((value) => Number.isNaN(value) ? null : value);

function answer(values, middle) {
	return {
		key: 'step_time', columns: middle.map((median, at) => ({ at, x_first: at, x_last: at + 0.5, median })),
		labels: values.map((row, index) => ({ label: `rank${index}`, mean: 1, far: index === 2 ? 9 : 0, slow: index === 2 ? 1 : 0, values: row })),
	};
}

test('a sheet of ranks', () => {
	const sheet = sheetOf(answer([[1, 1, 1], [1, null, 1], [1.2, 1.2, 1.2]], [1, 1.1, 1]), new Map([['rank0', 'b'], ['rank1', 'a'], ['rank2', 'b']]), { side: 'high' });
	assert.deepEqual(sheet.rows.map((row) => row.label), ['rank0', 'rank2', 'rank1']);
	assert.ok(Number.isNaN(sheet.rows[2].cells[1]));
	const odd = oddRows(sheet, new Map([['rank1', 'lost']]));
	assert.deepEqual(odd.map((one) => [one.label, one.state || Math.round(one.percent)]), [['rank2', 20], ['rank1', 'lost']]);
	assert.deepEqual(slowest(sheet).map((one) => [one.label, one.isNoise]), [['rank2', false], ['rank0', true], ['rank1', true]]);
	const alone = sheetOf(answer([[1, 1, null, null, null], [2, 2, 2, 2, 2]], [1.5, 1.5, 2, 2, 2]), new Map(), { side: 'high' });
	assert.deepEqual(slowest(alone).map((one) => [one.label, Math.round(one.percent)]), [['rank1', 33], ['rank0', -33]], 'who goes on alone');
	assert.deepEqual(slowest({ ...sheet, rows: sheet.rows.slice(0, 1) }), [], 'who is alone is compared with nobody');
	const hosts = folded(sheet, new Set());
	assert.deepEqual(hosts.rows.map((row) => row.label), ['b', 'rank1']);
	assert.ok(Math.abs(hosts.rows[0].cells[2] - 1.1) < 1e-9);
	assert.equal(folded(sheet, new Set(['b'])).rows.length, 3);
	const silent = (...states) => oddRows(hosts, new Map(states)).filter((one) => one.state)
		.map((one) => [one.index, one.state, one.label, one.more]);
	assert.deepEqual(silent(['rank2', 'late']), [[0, 'late', 'rank2', 0]]);
	assert.deepEqual(silent(['rank0', 'lost'], ['rank2', 'lost']), [[0, 'lost', 'rank0', 1]]);
	assert.deepEqual(silent(['rank0', 'late'], ['rank2', 'lost']), [[0, 'lost', 'rank2', 0]]);
});

test('where columns are finer than rows a value stands until the next; silence is none', () => {
	const fast = [1, 1, null, 1, 1, 1, null, ...Array(8).fill(1)];
	const slow = [null, 2, null, 2, null, null, 2, ...Array(7).fill(null), 2];
	const { rows, middle } = sheetOf(answer([fast, slow, fast], fast), new Map());
	assert.deepEqual([...rows[0].cells], Array(15).fill(1));
	assert.deepEqual([...rows[1].cells], [NaN, 2, 2, 2, 2, 2, 2, ...Array(7).fill(NaN), 2]);
	assert.deepEqual([...middle], Array(15).fill(1), 'the slow one is compared with what stands');
});

test('who was lost by the end of a run stays marked, and silent until that end', () => {
	const at = (seconds) => new Date(NOW + seconds * 1000).toISOString();
	const writers = [writer('rank0', { state: 'lost', heard_at: at(0) }), writer('rank1', { state: 'lost', heard_at: at(-300) }), writer('rank2', { state: 'ended', heard_at: at(-300) })];
	assert.deepEqual([...lostStates([...writers, writer('rank3')]).values()], ['lost', 'lost', 'ended', 'ended']);
	const run = { state: 'crashed', ended_at: at(3) };
	const silent = lostFor(run, writers, lostStates(writers));
	assert.deepEqual([...silent], [['rank0', 3], ['rank1', 303]]);
	const sheet = sheetOf(answer([[1, 1, 1, 1], [1, null, null, null], [1, 1, 1, 1]], [1, 1, 1, 1]), new Map());
	assert.deepEqual([sheet.wide, sheet.times], [4, [0, 3.5]]);
	const whole = toTheEnd({ ...sheet, times: [0, 4] }, new Map([['rank0', 3], ['rank1', 5.5]]));
	assert.deepEqual([whole.wide, whole.times, whole.middle.length, whole.rows.map(({ cells }) => numbers(cells))],
		[7, [0, 7], 7, [[1, 1, 1, 1, null, null, null], [1, ...Array(6).fill(null)], [1, 1, 1, 1, null, null, null]]]);
	assert.equal(toTheEnd(sheet, new Map([['rank1', 1]])), sheet, 'the others go on for longer');
	assert.equal(toTheEnd(sheet, new Map()), sheet);
	assert.equal(toTheEnd(sheet, new Map([['rank0', 1e9]])).wide, 8, 'no more silence than there is of rows');
});

test('as many columns as most labels have rows for', () => {
	const sparse = { columns: [{ at: 0 }, { at: 99 }], labels: [{ values: [1, 2] }, { values: [1, null] }] };
	assert.equal(fewerColumns(sparse), 1);
	assert.equal(fewerColumns(answer([[1, 1, 1]], [1, 1, 1])), null);
	assert.equal(fewerColumns({ columns: [], labels: [] }), null);
});

test('the key to begin with, and which side of it is slow', () => {
	const keys = (...names) => names.map((key) => ({ key, kinds: ['number'] }));
	assert.equal(firstKey(keys('acc', 'train/loss', 'train/step_time')), 'train/step_time');
	assert.equal(firstKey([{ key: 'text', kinds: ['string'] }, ...keys('acc')]), 'acc');
	assert.equal(firstKey([]), undefined);
	assert.deepEqual(['step_time', 'tokens_per_s', 'loss', 'time_per_step'].map(slowSide), ['high', 'low', 'high', 'high']);
});

const rounded = (cells) => Array.from(cells, (value) => Number.isNaN(value) ? null : Math.round(value * 1000) / 1000);

test('ranks are compared by keys, by rows, by steps and by system metrics', () => {
	const keys = ['loss', 'step_time', 'Rows/s'].map((key) => ({ key, kinds: ['number'] }));
	const measures = measuresOf(keys, ['gpu.0.powerWatts', 'gpu.1.powerWatts', 'gpu.0.smClock']);
	assert.deepEqual(measures.map((one) => [one.name, one.id, one.side]), [
		['loss', 'key:loss', 'high'], ['step_time', 'key:step_time', 'high'], ['Rows/s', 'key:Rows/s', 'low'],
		['Rows/s (of each writer)', 'rows', 'low'], ['Step reached', 'step', 'low'],
		['GPU power', 'system:gpu.powerWatts', 'high'], ['SM clock', 'system:gpu.smClock', 'low']]);
	const first = firstMeasure(keys, measures);
	assert.equal(first.name, 'step_time');
	for (const one of measures) {
		const changes = Object.entries(measureQuery(one, first)).filter(([, value]) => value !== null);
		assert.equal(measureIn(new URLSearchParams(changes), measures) || first, one);
	}
	assert.equal(firstMeasure([], measuresOf([], ['cpu'])).id, 'system:cpu');
	assert.equal(firstMeasure([], measuresOf([], [])), undefined);
});

test('rows a second go by the rows around a moment, and nothing is known before the first and after the last', () => {
	const bucket = (label, first, last, n) => ({ label, columns: { x_first: first, x_last: last, n } });
	const even = bucket('a', [0, 20], [10, 40], [2, 3]); /* every ten seconds */
	const half = bucket('b', [0, 20, 40], [0, 20, 40], [1, 1, 1]);
	const late = bucket('c', [20], [30], [11]);
	const { cells, from, width } = rateCells([even, half, late], { wide: 4, span: null });
	assert.deepEqual([from, width], [0, 10]);
	assert.deepEqual([...cells.values()].map(rounded),
		[[0.1, 0.1, 0.1, 0.1], [0.05, 0.05, 0.05, 0.05], [null, null, 1, null]]);
	const twice = rateCells([bucket('a', [0], [10], [2]), bucket('a', [20], [40], [3])], { wide: 4, span: [0, 40] });
	assert.deepEqual(rounded(twice.cells.get('a')), [0.1, 0.1, 0.1, 0.1]);
	assert.equal(rateCells([bucket('a', [5], [5], [1])], { wide: 4 }).wide, 0);
	assert.equal(rateCells([], { wide: 4 }).cells.size, 0);
});

/* A label that sends a row a second, a bucket of 25 each, from each of these times on for a hundred seconds. */
function stretchesOf(...begins) {
	const first = begins.flatMap((begin) => [0, 25, 50, 75].map((at) => begin + at));
	return { label: 'a', columns: { x_first: first, x_last: first.map((time) => time + 24), n: first.map(() => 25) } };
}

test('between two stretches of rows a label is silent, and as fast in each as it was', () => {
	const told = (series, look) => [...rateCells([series], look).cells.get('a')].map((rate) => Number.isNaN(rate) ? null : Number(rate.toFixed(6)));
	const silent = (columns) => Array(columns).fill(null);
	assert.deepEqual(told(stretchesOf(0, 1000), { wide: 22 }), [1, 1, ...silent(18), 1, 1]);
	assert.deepEqual(told(stretchesOf(0, 500, 1000), { wide: 11 }), [1, ...silent(4), 1, ...silent(4), 1]);
	assert.deepEqual(told(stretchesOf(0, 100, 203), { wide: 6 }).map((rate) => rate > 0.9), Array(6).fill(true), 'a pause is none');
	const bursts = { label: 'a', columns: { x_first: [0, 60, 120, 180], x_last: [1, 61, 121, 181], n: [10, 10, 10, 10] } };
	assert.ok(told(bursts, { wide: 36 }).every((rate) => rate !== null), 'what is usual for a label is no silence');
});

test('no step is reached while a label is silent', () => {
	const rows = stretchesOf(0, 1000);
	const steps = { label: 'a', columns: { x_first: [0, 75], x_last: [74, 199], first: [0, 75], last: [74, 1099] } };
	const told = (look) => [...stepCells([steps], look).cells.get('a')].map((step) => Number.isNaN(step) ? '-' : step < 100 ? 'a' : 'b').join('');
	assert.equal(told({ wide: 22, rows: [rows] }), `aa${'-'.repeat(18)}bb`);
	assert.equal(told({ wide: 4, span: [300, 700], rows: [] }), '----');
	assert.equal(told({ wide: 4, span: [50, 250], rows: [{ label: 'a', columns: { x_first: [50, 75], x_last: [74, 99], n: [25, 25] } }] }), 'a---');
});

test('the step that was reached does not go back, and a stretch of time has its steps', () => {
	const columns = (steps, times) => ({ x_first: steps, x_last: steps, first: times, last: times });
	const rows = ['a', 'b'].map((label) => ({ label, columns: { x_first: [0, 20], x_last: [10, 40], n: [2, 3] } }));
	const series = [{ label: 'a', columns: columns([0, 1, 2, 3, 4], [0, 10, 20, 30, 40]) },
		{ label: 'b', columns: columns([0, 1, 2], [0, 20, 40]) }, { label: 'b', columns: columns([1], [30]) }];
	const { cells } = stepCells(series, { wide: 4, rows });
	assert.deepEqual([...cells.values()].map(rounded), [[0.5, 1.5, 2.5, 3.5], [0.25, 0.75, 1, 1.5]]);
	assert.deepEqual(stepsWithin(series, [12, 18]), [0, 2]);
	assert.equal(stepsWithin(series, [50, 60]), null);
});

test('a system metric of a label is the mean of its devices', () => {
	const series = [[100, 300], [200, NaN]].map((mean) => ({ label: 'a', columns: { at: [0, 2], mean } }));
	assert.deepEqual(rounded(meanCells(series, { grid: { from: 0, width: 1, count: 3 }, times: 2 }).cells.get('a')), [300, null, 600]);
});

test('distances from the median are those that the server tells', () => {
	const cells = new Map([1, 1.1, 1.2, 9].map((value, at) => [`rank${at}`, Float64Array.of(NaN, value, value)]));
	const { columns, labels } = measured({ cells, from: 10, width: 5, wide: 3 }, 'high');
	assert.deepEqual(columns.map(({ at, x_first: from, x_last: to }) => [at, from, to]), [[1, 15, 20], [2, 20, 25]]);
	assert.ok(Math.abs(columns[0].median - 1.15) < 1e-9);
	assert.deepEqual(labels.map(({ slow, values }) => [slow, values.length]), [[0, 2], [0, 2], [0, 2], [1, 2]]);
	assert.ok(Math.abs(labels[3].far - 7.85 / (1.4826 * 0.1)) < 1e-6);
	assert.equal(measured({ cells, from: 10, width: 5, wide: 3 }, 'low').labels[3].slow, 0);
});

test('the duration of a run that was silent before its end says when it was heard last', () => {
	const at = (seconds) => new Date(NOW + seconds * 1000).toISOString();
	const told = (heard, end) => facts({ run: { state: 'crashed', rows: 1, bytes: 1, exit_code: null, created_at: at(0), heard_at: at(heard), ended_at: end && at(end) },
		states: [{ from: null, to: 'running', at: at(0) }, { from: 'running', to: 'crashed', at: at(end || 0), who: 'sweeper' }],
		writers: [], config: {} }, NOW).find(([name]) => name === 'Duration')[1];
	assert.equal(told(6, 305), '5 min 5 s, last heard 6 s after its start');
	assert.equal(told(250, 305), '5 min 5 s');
});

test('a run that was deleted and restored is finished since its end, by who ended it', () => {
	const line = (from, to, minute, attempt, more) => ({ from, to, attempt, at: `2026-01-01T00:0${minute}:00Z`, who: 'writer', label: 'rank0', ...more });
	const told = (state, ...states) => {
		const run = { state, rows: 1, bytes: 1, exit_code: 0, created_at: '2026-01-01T00:00:00Z', ended_at: state === 'finished' ? '2026-01-01T00:02:00Z' : null };
		const found = new Map(facts({ run, states, writers: [], config: {} }, NOW));
		return [found.get('State').at, found.get('End')];
	};
	const begun = line(null, 'running', 0, 1);
	const note = (minute) => line('finished', 'finished', minute, 1, { who: 'user', user: 'ann' });
	assert.deepEqual(told('finished', begun, line('running', 'finished', 2, 1), note(5), note(6)),
		['2026-01-01T00:02:00Z', told('finished', begun, line('running', 'finished', 2, 1))[1]]);
	assert.equal(told('running', begun, line('running', 'running', 3, 2))[0], '2026-01-01T00:03:00Z', 'another attempt is no note');
});

test('values that writers sent differently are known by their names', () => {
	const of = (document, key, ...values) => ({ document, key, writers: values.map((value, at) => ({ label: `rank${at}`, value })) });
	const told = differing([of('config', 'opt.lr', 0.1, 0.2), of('config', 'seed', 1, 1), of('summary', 'x', 1, 2)], 'config',
		{ opt: { lr: 0.2 }, seed: 1 }, 'there');
	assert.deepEqual([...told.keys()], ['opt.lr']);
	assert.deepEqual([told.get('opt.lr').held, told.get('opt.lr').others].map(([one]) => one.label), ['rank1', 'rank0']);
	const cut = (count, ...values) => differing([{ ...of('config', 'seed', ...values), count }], 'config', { seed: 1 }, 'there').get('seed').cut;
	const eight = [1, 2, 3, 4, 5, 6, 7, 8];
	assert.deepEqual([cut(9, 1, 2), cut(7, ...eight), cut(10, ...eight)],
		['', '', 'The values of 8 writers are kept; the key was sent differently 10 times.']);
});

test('the hardware names every kind of accelerator', () => {
	const told = (metadata) => new Map(surroundings({ writers: [], config: {}, metadata })).get('Hardware');
	const cases = [
		[{ gpu: 'Intel GPU 0x56c0', gpu_count: 2, gpu_intel: [{}, {}] }, '2 × Intel GPU 0x56c0'],
		[{ hpu: { vendor: 'Habana', count: 8 }, cpu_count_logical: 96 }, '8 × Gaudi, 96 cores'],
		[{ tpu: { name: 'v5e', count: 4 } }, '4 × TPU v5e'], [{ ipu: { count: 16, boardType: 'C600' } }, '16 × IPU C600'],
		[{ trainium: { name: 'Trainium', neuron_device_count: 2 } }, '2 × Trainium'], [{ trainium: { neuronDeviceCount: 3 } }, '3 × Trainium'],
		[{ tpu: 'v5e', hpu: null }, null],
	];
	for (const [metadata, words] of cases) assert.equal(told(metadata), words);
});

test('what cairn run tells of its command stands where that of the SDK stands', () => {
	const metadata = { program: 'python3', args: ['train.py', '--lr', '0.1'], root: '/home/ann/moe', executable: '/usr/bin/python3',
		git: { remote: 'git@a:b.git', commit: '4f1c92e0aa11', branch: 'moe', dirty: true }, cpu_count: 4, cpu_count_logical: 8,
		memory: { total: String(2 ** 34) }, os: 'Linux-6.8', host: 'node7' };
	const told = (more) => new Map(surroundings({ writers: [], config: {}, metadata: { ...metadata, ...more } }));
	assert.deepEqual(['Host', 'OS', 'Command', 'Folder', 'Git', 'Hardware'].map((name) => told().get(name)),
		['node7', 'Linux-6.8', 'python3 train.py --lr 0.1', '/home/ann/moe', 'git@a:b.git @ 4f1c92e0aa, branch moe, uncommitted changes',
			'8 cores, 16.0 GiB']);
	assert.equal(told({ git: { ...metadata.git, dirty: false } }).get('Git'), 'git@a:b.git @ 4f1c92e0aa, branch moe');
	assert.equal(told({ git: { dirty: true } }).get('Git'), null);
});

test('a job of Slurm is a fact where there is one', () => {
	const run = { state: 'running', user: 'ann', created_at: '2026-01-01T00:00:00Z', visibility: 'project', rows: 5, bytes: 1 };
	const told = (slurm) => new Map(facts({ run, states: [], writers: [], config: {}, metadata: { slurm } }, 0)).get('Slurm job');
	const job = { job_id: '127', array_job_id: '123', array_task_id: '4', nnodes: '2', job_start_time: '1700000000',
		job_end_time: '1700014400', restart_count: '1' };
	assert.equal(told(job), '123_4, 2 nodes, time limit 4 h, requeued 1 time');
	assert.equal(told({ ...job, array_task_id: '0', nnodes: undefined, job_num_nodes: 1, time_limit_s: 5400, restart_count: 3 }),
		'123_0, 1 node, time limit 1 h 30 min, requeued 3 times');
	assert.equal(told({ job_id: 7 }), '7');
	assert.equal(told({ ...job, array_job_id: undefined, restart_count: '0', job_end_time: '1', nnodes: 'two' }), '127');
	for (const none of [undefined, null, 'x', {}, { job_id: 'x' }, { job_id: { a: 1 } }, []]) assert.equal(told(none), undefined);
	assert.ok(!new Map(facts({ run, states: [], writers: [], config: {} }, 0)).has('Slurm job'));
	const sdk = facts({ run, states: [], writers: [], config: { _wandb: { e: { a: { slurm: { job_id: '9' } } } } } }, 0);
	assert.equal(new Map(sdk).get('Slurm job'), '9');
});

test('an end that was told afterwards comes before what was noted until then', () => {
	const at = (seconds) => new Date(NOW + seconds * 1000).toISOString();
	const told = [[null, 'running', 0], ['running', 'crashed', 400], ['crashed', 'running', 9000], ['running', 'finished', 200]]
		.map(([from, to, second]) => ({ from, to, at: at(second) }));
	assert.deepEqual(spans(told, NOW + 1e8), { wall: 200, running: 200 });
	assert.deepEqual(stretches(told, NOW + 1e8).map(({ seconds }) => seconds).slice(0, 3), [200, 0, 0]);
	assert.deepEqual(spans(told.slice(0, 3), NOW + 9001 * 1000), { wall: 9001, running: 401 });
});

test('the reason of an end is told with the state', () => {
	const run = { state: 'crashed', exit_code: null, rows: 1, bytes: 1, created_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:02:00Z' };
	const told = (more) => new Map(facts({ run: { ...run, ...more }, states: [], writers: [], config: {} }, NOW)).get('End');
	assert.equal(told({ end_reason: 'time limit of the Slurm job' }), 'crashed: time limit of the Slurm job');
	assert.equal(told({ end_reason: 'killed', state: 'failed', exit_code: -9 }), 'failed: killed, signal 9, SIGKILL');
	assert.equal(told({ end_reason: null }), 'crashed');
});

test('what is stored is told when it was measured', () => {
	const run = { state: 'running', user: 'ann', created_at: '2026-01-01T00:00:00Z', visibility: 'project', rows: 5 };
	const stopped = facts({ run: { ...run, stop_requested_at: '2026-03-01T10:00:00Z', stop_reason: 'diverges' }, states: [], writers: [], config: {} }, 0);
	assert.match(new Map(stopped).get('Stop'), /^asked at .*: diverges$/);
	const stored = (more) => facts({ run: { ...run, ...more }, states: [], writers: [], config: {} }, 0)
		.find(([name]) => name === 'Stored')[1];
	assert.equal(stored({ bytes: 0 }), 'not measured yet, 5 rows');
	assert.equal(stored({ bytes: 0, rows: 0 }), '0 B, 0 rows');
	assert.equal(stored({ bytes: 2048 }), '2.0 KiB, 5 rows');
});
