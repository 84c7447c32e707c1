import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { pieces, plain } = await import('../../../web-static/js/logs/ansi.js');
const { matcher } = await import('../../../web-static/js/base/label_matcher.js');
const { gather, hiddenOf, placeOf, placeText, spans, valueOf } = await import('../../../web-static/js/logs/log_labels.js');
const { goToLine } = await import('../../../web-static/js/logs/log_jump.js');
const { logHits } = await import('../../../web-static/js/logs/log_hits.js');
const { againRounds, freshOf } = await import('../../../web-static/js/logs/log_ranges.js');
const { marked, places } = await import('../../../web-static/js/logs/log_line.js');
const { byPlace } = await import('../../../web-static/js/logs/log_pages.js');
const { inOrder, orderNamed } = await import('../../../web-static/js/logs/log_order.js');
const { logVoice } = await import('../../../web-static/js/logs/log_voice.js');
const { hasStates, statesIn, statesOf, wasBefore } = await import('../../../web-static/js/logs/log_was.js');
const { marker, nextHit, parse, withContext, written } = await import('../../../web-static/js/logs/log_search.js');
const E = '\u001b';

test('colours become classes of the theme', () => {
	const looks = {
		[`${E}[31mred`]: 'ansi-red',
		[`${E}[1;4;92mx`]: 'ansi-green ansi-bold ansi-underline',
		[`${E}[90mx`]: 'ansi-grey',
		[`${E}[38;5;196mx`]: 'ansi-red',
		[`${E}[38;5;21mx`]: 'ansi-blue',
		[`${E}[38;5;46mx`]: 'ansi-green',
		[`${E}[38;5;226mx`]: 'ansi-yellow',
		[`${E}[38;5;244mx`]: 'ansi-grey',
		[`${E}[38;2;250;10;240mx`]: 'ansi-magenta',
		[`${E}[48;5;196mx`]: '',
		[`${E}[41mx`]: '',
		[`${E}[31m${E}[39mx`]: '',
		[`${E}[1m${E}[22mx`]: '',
		[`${E}[31;1m${E}[mx`]: '',
		[`${E}[37mx`]: '',
	};
	for (const [line, look] of Object.entries(looks)) assert.equal(pieces(line)[0].look, look, JSON.stringify(line));
	assert.deepEqual(pieces(`a${E}[31mb${E}[0mc`), [{ text: 'a', look: '' }, { text: 'b', look: 'ansi-red' }, { text: 'c', look: '' }]);
});

test('a line is redrawn in place, as a terminal does', () => {
	const lines = {
		'10 %\r50 %\r100 %': '100 %',
		'a longer text\rshort': 'shortger text',
		[`a longer text\r${E}[Kshort`]: 'short',
		[`${E}[2K\rbar`]: '   bar'.trim(),
		'ab\bc': 'ac',
		[`abc${E}[2DX`]: 'aXc',
		[`abc${E}[1GX`]: 'Xbc',
		[`a${E}[3Cb`]: 'a   b',
		'text\r': 'text',
		'\r\r': '',
		[`${E}[Aup`]: 'up',
		[`${E}]0;title\u0007text`]: 'text',
		[`${E}]8;;http://x${E}\\link${E}]8;;${E}\\`]: 'link',
		[`${E}[?25lx${E}[?25h`]: 'x',
		[`end${E}`]: 'end',
		[`end${E}[`]: 'end',
		'\u0000\u0007x\u007f': 'x',
		'a\tb': 'a\tb',
		'日本\r語': '語本',
	};
	for (const [line, wanted] of Object.entries(lines)) assert.equal(plain(line), wanted, JSON.stringify(line));
	assert.equal(plain(`x${E}[999999999Cy`).length, 65537);
	assert.deepEqual(pieces(`${E}[31mred\r${E}[32mgr`), [{ text: 'gr', look: 'ansi-green' }, { text: 'd', look: 'ansi-red' }]);
});

test('what is found is marked over colours', () => {
	const parts = pieces(`lo${E}[1mss 0${E}[0m.5`);
	const marks = places('loss 0.5', { regex: /ss 0\.5/g, reach: 9, within: (look) => look() });
	assert.deepEqual(marked(parts, marks).map(({ text, isMark }) => [text, isMark]), [['lo', false], ['ss 0', true], ['.5', true]]);
	assert.deepEqual(places('aXaX', marker(parse('x'))), [[1, 2], [3, 4]]);
	assert.deepEqual(places('aXax', marker(parse('X'))), [[1, 2]]);
	assert.deepEqual(places('a.c abc', marker(parse('a.c'))), [[0, 3]]);
	assert.deepEqual(places('a.c abc', marker(parse('/a.c/'))), [[0, 3], [4, 7]]);
	assert.deepEqual(places('aaa', marker(parse('/b*/'))), []);
});

test('expressions that may take for ever, or are none, mark nothing', () => {
	const many = ['/.*.*.*x/', '/a+b+/', '/x{1,}y*/', `/${'a?'.repeat(9)}/`, `/${'(a|b)'.repeat(9)}/`, '/(a|b)(a|b)(a|b)(a|b)c*/'];
	for (const find of ['/(a+)+b/', '/(a|b)*c/', '/(a)\\1/', '/(/', '/[/', '', ...many]) assert.equal(marker(parse(find)), null, find);
	for (const find of ['/https?:.*x/', '/\\+\\*[*+]a+/', '/(warn|error): \\d{4}-\\d{2}/', '/a|b|c|d|e|f|g|h|i|j|k/', '/a.*?b/'])
		assert.ok(marker(parse(find)), find);
});

test('an expression marks the beginning of a long line, a text all of it', () => {
	const line = `${'x'.repeat(1999)}ab${'x'.repeat(9000)}ab`;
	assert.deepEqual([places(line, marker(parse('ab'))).length, places(line, marker(parse('/ab/'))).length], [2, 0]);
	assert.equal(places(line.slice(1), marker(parse('/ab/'))).length, 1);
});

test('marking ends where it takes long, and goes on later', (t) => {
	let now = 0;
	t.mock.method(performance, 'now', () => now);
	const find = marker(parse('/.*ab/'));
	const { regex } = find;
	find.regex = { [Symbol.matchAll]: (line) => {
		now += 5;
		return regex[Symbol.matchAll](line);
	} };
	const isMarked = Array.from({ length: 20 }, () => places('xab', find).length > 0);
	const end = isMarked.indexOf(false);
	assert.ok(end > 5 && !isMarked.includes(true, end), isMarked.join());
	now += 50;
	assert.equal(places('xab', find).length, 1);
});

test('a text between strokes stays a text', () => {
	for (const text of ['/data/', '\\/data/', '\\\\/data/', '//', '/', '/a', '\\', '\\d/', '/a\nb/', 'x/y/']) {
		assert.deepEqual(parse(written(text, false)), { text, isRegex: false }, text);
		if (text) assert.deepEqual(parse(written(text, true)), { text, isRegex: true }, text);
	}
	assert.equal(written('NCCL', false), 'NCCL');
});

test('labels: patterns, spans, and what the address says', () => {
	const labels = ['rank0', 'rank1', 'rank10', 'rank2', 'eval,x', '-odd'];
	const found = (pattern) => labels.filter(matcher(pattern));
	assert.deepEqual(found('rank1*'), ['rank1', 'rank10']);
	assert.deepEqual(found('*1'), ['rank1']);
	assert.deepEqual(found('ANK1'), ['rank1', 'rank10']);
	assert.deepEqual(found('eval,*'), ['eval,x']);
	assert.equal(spans([5, 0, 1, 2, 9, 10]), '0-2,5,9-10');
	for (const hidden of [[], ['rank0'], ['eval,x'], ['-odd'], labels.slice(0, 5), labels.slice(1), labels]) {
		assert.deepEqual([...hiddenOf(valueOf(new Set(hidden), labels), labels)], hidden, hidden.join());
	}
	assert.deepEqual([...hiddenOf('%,50%25', ['%', '50%', 'a'])], ['a']);
	assert.equal(valueOf(new Set(['a', 'b', 'c']), ['a', 'b', 'c', 'eval,x']), 'eval\\,x');
	assert.deepEqual([...hiddenOf(',', labels)], []);
	assert.equal(valueOf(new Set(labels.slice(1)), labels), 'rank0');
	assert.equal(valueOf(new Set(['rank0']), labels), '-rank0');
});

test('labels have the lines of all their writers', () => {
	const writers = [{ number: 0, label: 'a', state: 'alive' }, { number: 1, label: 'b', state: 'ended' }, { number: 2, label: 'a', state: 'lost' }];
	const rows = gather(writers, [{ writer: 0, label: 'a', lines: 5, errors: 1 }, { writer: 2, label: 'a', lines: 3, errors: 0 },
		{ writer: 9, label: 'c', lines: 1, errors: 0 }]);
	assert.deepEqual(rows.map((row) => [row.label, row.writers, row.lines, row.errors, row.state]),
		[['a', [0, 2], 8, 1, 'lost'], ['b', [1], 0, 0, 'ended'], ['c', [9], 1, 0, '']]);
});

test('a line is named by its label, and by its writer where another had the label before', () => {
	const rows = [{ label: 'rank0', writers: [34, 0] }, { label: 'a:3.1', writers: [2] }];
	const line = (label, writer, number) => ({ label, writer, line: number });
	const lines = [line('rank0', 0, 17), line('rank0', 34, 17), line('a:3.1', 2, 0), line('unknown', 9, 4)];
	const places = lines.map((one) => placeText(one, rows));
	assert.deepEqual(places, ['rank0:17', 'rank0:34.17', 'a:3.1:0', 'unknown:4']);
	assert.deepEqual(places.map(placeOf), [line('rank0', null, 17), line('rank0', 34, 17), line('a:3.1', null, 0),
		line('unknown', null, 4)]);
	assert.deepEqual([null, '', '17', ':17', 'a:', 'a:b', 'a:1.', 'a:.1', 'a:-1'].map(placeOf), Array(9).fill(null));
});

test('an address of a line leads to that of its writer, an older one to the first that has it', async () => {
	const lasts = { 0: 99, 34: 400 };
	const asked = [];
	globalThis.fetch = async (url) => {
		const [writer, from] = ['writers', 'from'].map((name) => Number(url.searchParams.get(name)));
		asked.push(writer);
		return Response.json({ items: from > lasts[writer] ? [] : [{ writer, line: from, label: 'rank0' }] });
	};
	const logs = { path: '/api/v1/console', rows: [{ label: 'rank0', writers: [34, 0] }], order: { asked: {} },
		ends: new AbortController(), list: { jumps: () => 1, goTo: async () => true }, pause() {},
		toEnd: async () => told.push('the end'), miss: (why) => told.push(why) };
	const told = [];
	const found = [];
	for (const at of ['rank0:17', 'rank0:34.17', 'rank0:300', 'rank0:7.17', 'rank1:0', 'rank0:99999']) found.push(await goToLine(logs, placeOf(at)));
	assert.deepEqual(found.map((line) => line && [line.writer, line.line]), [[0, 17], [34, 17], [34, 300], null, null, null]);
	assert.deepEqual(asked, [0, 34, 0, 34, 0, 34]);
	assert.deepEqual(told, ['the end', 'rank0 has no line 17.', 'the end', 'There is no label rank1.', 'the end', 'rank0 has no line 99,999.']);
});

test('labels stand by name, rank2 before rank10', () => {
	const writers = ['rank10', 'eval', 'rank2'].map((label, number) => ({ number, label, state: 'alive' }));
	assert.deepEqual(gather(writers, []).map((row) => [row.label, row.slot]), [['eval', 1], ['rank2', 2], ['rank10', 0]]);
});

test('lines written again are read in rounds, never two at a time', async () => {
	const asked = [];
	const shown = [];
	const rounds = againRounds((range) => {
		asked.push(range);
		return new Promise((resolve) => setImmediate(() => resolve([`${range.writer}:${asked.length}`])));
	}, (lines) => shown.push(...lines));
	for (const range of [[3, 41, 41], [3, 41, 43], [0, 7, 7], [3, 40, 41]]) rounds.add({ writer: range[0], from: range[1], to: range[2] });
	const first = rounds.round();
	rounds.add({ writer: 3, from: 43, to: 43 });
	await first;
	assert.deepEqual(asked, [{ writer: 3, from: 40, to: 43 }, { writer: 0, from: 7, to: 7 }]);
	assert.equal(await rounds.round(), true);
	assert.equal(await rounds.round(), true);
	assert.deepEqual(asked[2], { writer: 3, from: 43, to: 43 });
	assert.deepEqual(shown, ['3:1', '0:2', '3:3']);
});

test('lines written again that could not be read are read by a later round, with what was told meanwhile', async () => {
	const asked = [];
	const shown = [];
	const answers = [null, ['7'], ['3 to 5']];
	const rounds = againRounds(async (range) => {
		asked.push(range);
		return answers.shift();
	}, (lines) => shown.push(...lines));
	rounds.add({ writer: 1, from: 4, to: 5 });
	rounds.add({ writer: 2, from: 7, to: 7 });
	assert.equal(await rounds.round(), false);
	rounds.add({ writer: 1, from: 3, to: 3 });
	assert.equal(await rounds.round(), true);
	assert.deepEqual([asked.at(-1), shown], [{ writer: 1, from: 3, to: 5 }, ['7', '3 to 5']]);
});

test('new is what lies behind the last line that was told of', () => {
	const range = { writer: 3, from: 40, to: 49 };
	assert.deepEqual([39, 44, 49].map((top) => freshOf(range, top)), [range, { writer: 3, from: 45, to: 49 }, null]);
});

test('from hit to hit, at first from what is seen', () => {
	for (const order of ['time', 'arrival']) {
		const hits = [1, 5, 9].map((place) => ({ time: 7, [order]: place }));
		const next = (hit, step, place) => nextHit(hits, hit, step, place && { [order]: place }, orderNamed(order).placeOf);
		assert.deepEqual([0, 5, 6, 10].map((top) => [next(-1, 1, top), next(-1, -1, top)]), [[0, 2], [1, 0], [2, 1], [0, 2]]);
		assert.deepEqual([next(2, 1), next(0, -1), next(0, 1)], [0, 2, 1]);
	}
});

test('a line that was written over itself has states', () => {
	const states = {
		'': [],
		'whole': ['whole'],
		'text\r': ['text'],
		'\r10 %\r\r50 %\r100 %\r': ['\r10 %', '\r10 %\r\r50 %', '\r10 %\r\r50 %\r100 %'],
		[`\r${E}[2K\r ${E}[31m5${E}[0m %`]: [`\r${E}[2K\r ${E}[31m5${E}[0m %`],
	};
	for (const [line, wanted] of Object.entries(states)) assert.deepEqual(statesIn(line), wanted, JSON.stringify(line));
	assert.deepEqual(['a', 'a\r', 'a\rb'].map((line) => hasStates({ text: line })), [false, false, true]);
	assert.deepEqual(statesOf({ was: ['a\rb', 'c'], text: 'd' }), ['a', 'a\rb', 'c', 'd']);
});

test('of what a line was so much is kept', () => {
	assert.deepEqual(wasBefore({ text: 'half' }, 'half and more'), []);
	assert.deepEqual(wasBefore({ text: '5 %', was: ['1 %'] }, '9 %'), ['1 %', '5 %']);
	const long = (letter) => letter.repeat(8192);
	assert.deepEqual(wasBefore({ text: long('b'), was: [long('a')] }, 'c'), [long('a'), long('b')]);
	assert.deepEqual(wasBefore({ text: `${long('b')}b`, was: [long('a')] }, 'c'), [`${long('b')}b`]);
	assert.deepEqual(wasBefore({ text: `${long('b')}${long('b')}b`, was: ['a'] }, 'c'), []);
});

test('lines go by time or by arrival, then by writer and number', () => {
	const lines = [[5, 1, 0, 0], [3, 2, 1, 4], [3, 2, 0, 9], [3, 2, 0, 7]].map(([time, arrival, writer, line]) => ({ time, arrival, writer, line }));
	const sorted = (name) => [...lines].sort(inOrder(orderNamed(name))).map((line) => lines.indexOf(line));
	assert.deepEqual([sorted('time'), sorted('arrival'), sorted('odd'), sorted(null)], [[3, 2, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [3, 2, 1, 0]]);
	assert.deepEqual(['time', 'arrival'].map((name) => orderNamed(name).written(12)), ['12.000000', '12']);
	for (const odd of ['constructor', 'toString', '__proto__', undefined]) assert.equal(orderNamed(odd).name, 'time');
});

test('around a line stand those of its own place, too, before and behind it', async () => {
	const lines = Array.from({ length: 9 }, (_, line) => ({ writer: 1, line, time: 100 + line, arrival: line < 6 ? 7 : 8 }));
	const whole = globalThis.fetch;
	globalThis.fetch = async (path) => {
		const query = new URL(path, 'http://host').searchParams;
		const isBack = query.get('order').startsWith('-');
		const [from, to] = ['from', 'to'].map((end) => query.get(`arrival_${end}`));
		const items = lines.filter(({ arrival }) => (from === null || arrival >= from) && (to === null || arrival <= to));
		return new Response(JSON.stringify({ items: isBack ? items.reverse() : items, next_cursor: null }),
			{ headers: { 'Content-Type': 'application/json' } });
	};
	try {
		for (const { writer, line, time, arrival } of lines) {
			const pages = byPlace({ path: '/p', order: orderNamed('arrival') });
			const { items } = await pages.around({ writer, line, time, arrival });
			assert.deepEqual(items.map((one) => one.line), [0, 1, 2, 3, 4, 5, 6, 7, 8], `around ${line}`);
		}
	} finally {
		globalThis.fetch = whole;
	}
});

test('hits that are near share the lines around them', () => {
	const line = (n) => ({ writer: 0, line: n });
	const hits = [{ ...line(2), before: [line(1)], after: [line(3)] }, { ...line(3), before: [line(2)], after: [line(4)] }];
	assert.deepEqual(withContext(hits), [1, 2, 3, 4].map(line));
});

test('a log is heard while it is followed, and no more often than every 10 s', (t) => {
	t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
	const attributes = new Map();
	const voice = logVoice({ getAttribute: (name) => attributes.get(name), setAttribute: (name, value) => attributes.set(name, value) });
	const live = () => attributes.get('aria-live');
	voice.follow(true);
	voice.quiet();
	assert.equal(live(), 'off', 'what is laid out is no news');
	t.mock.timers.tick(1000);
	assert.equal(live(), 'polite');
	voice.added();
	assert.equal(live(), 'polite', 'the first is heard');
	voice.added();
	assert.equal(live(), 'off');
	t.mock.timers.tick(9999);
	assert.equal(live(), 'off');
	t.mock.timers.tick(1);
	assert.equal(live(), 'polite');
	voice.added();
	voice.follow(false);
	t.mock.timers.tick(20_000);
	assert.equal(live(), 'off');
	voice.follow(true);
	assert.equal(live(), 'polite');
	voice.stop();
});

/* A page of logs that tells to which lines it went; each of its searches begins without hits. */
function pageOfLogs() {
	const went = [];
	const logs = { search: null, order: orderNamed('time'), pause() {}, point: ({ line }) => went.push(line), bar: { tell() {} },
		list: { first: () => null, find: () => true }, went,
		begin() {
			logs.search = { hits: [], isDone: false, fault: null };
			logs.hits.begin();
		},
		come(lines, isDone = false) {
			logs.search.hits.push(...lines.map((line) => ({ writer: 0, line, time: line, label: 'a' })));
			logs.search.isDone = isDone;
			logs.hits.came();
		} };
	logs.hits = logHits(logs);
	return logs;
}

test('who asks for a hit before any was found is led to the first that is, once', () => {
	const logs = pageOfLogs();
	logs.begin();
	logs.hits.go(1);
	logs.come([]);
	logs.come([3, 5]);
	logs.come([9], true);
	assert.deepEqual([logs.went, logs.hits.at()], [[3], 0]);
	logs.hits.go(1);
	logs.hits.go(1);
	logs.hits.go(1);
	assert.deepEqual(logs.went, [3, 5, 9, 3]);
});

test('a hit is waited for no longer when another search or place is wanted, or there will be none', () => {
	const logs = pageOfLogs();
	logs.hits.go(1);
	logs.begin();
	logs.hits.go(1);
	logs.begin();
	logs.come([1]);
	logs.begin();
	logs.hits.go(-1);
	logs.hits.leave();
	logs.come([1]);
	logs.begin();
	logs.come([], true);
	logs.hits.go(1);
	logs.come([1]);
	assert.deepEqual(logs.went, []);
});
