import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

const { document } = makeWindow();
const { best, namedFirst, score } = await import('../../../web-static/js/ui/fuzzy.js');
const { keepText } = await import('../../../web-static/js/list/list_selection.js');
const { age, count, number } = await import('../../../web-static/js/base/format.js');
const { hear, serverNow } = await import('../../../web-static/js/base/clock.js');
const keys = await import('../../../web-static/js/base/keys.js');
const { lateRows, noteEnd } = await import('../../../web-static/js/list/model/late_rows.js');

test('letters in their order find; whole pieces come first', () => {
	const items = ['vision/long-list-mapper', 'aurora/llm-pretrain', 'aurora/small', 'mira/llm'].map((label) => ({ label }));
	assert.deepEqual(best('llm', items, 9).map((one) => one.label), ['mira/llm', 'aurora/llm-pretrain', 'vision/long-list-mapper']);
	assert.equal(best('', items, 2).length, 2);
	assert.equal(score('xyz', 'aurora'), -1);
	const known = [{ label: 'Profile', also: 'settings' }, { label: 'Settings of mira' }, { label: 'small-test-run' }];
	assert.deepEqual(best('Setting', known, 9).map((one) => one.label), ['Settings of mira', 'Profile']);
});

test('what is called as it was typed comes first, then what begins so, whatever its kind', () => {
	const found = ['gpt-large-12rank', 'rank50', 'ann/rank5', 'Rank5'].map((label) => ({ label }));
	assert.deepEqual(namedFirst(' rank5 ', found).map((one) => one.label), ['Rank5', 'rank50', 'gpt-large-12rank', 'ann/rank5']);
	assert.deepEqual(namedFirst('', found), found);
});

test('words are found each by itself, in whatever order, all of them', () => {
	const items = ['tiny/dense-1', 'moe-tiny', 'a tiny moe', 'dense'].map((label) => ({ label }));
	const found = (typed) => best(typed, items, 9).map((one) => one.label);
	assert.deepEqual(found('tiny moe'), ['a tiny moe', 'moe-tiny']);
	assert.deepEqual([found('dense tiny'), found(' dense  tiny '), found('tiny dense nothing')], [['tiny/dense-1'], ['tiny/dense-1'], []]);
	assert.deepEqual(best('mira setting', [{ label: 'Members of mira', also: 'settings' }], 9).length, 1);
});

test('runs are asked for by each word that is typed', async (t) => {
	const asked = [];
	t.mock.method(globalThis, 'fetch', async (url) => {
		asked.push(new URL(url, 'http://cairn.test').searchParams.get('filter'));
		return new Response('{"items": []}', { headers: { 'Content-Type': 'application/json' } });
	});
	const { foundRuns } = await import('../../../web-static/js/frame/jump_sources.js');
	await foundRuns({ entity: 'ann', project: 'p' }, 'dense  35"0', new AbortController().signal);
	assert.deepEqual(asked, ['"dense" "35\\"0"']);
});

test('Shift on a row selects no text; a link and a click alone do as ever', () => {
	const isKept = (shiftKey, link) => {
		let kept = false;
		keepText({ shiftKey, target: { closest: () => link }, preventDefault: () => { kept = true; } });
		return kept;
	};
	assert.deepEqual([isKept(true, null), isKept(true, {}), isKept(false, null)], [true, false, false]);
});

test('numbers below zero have a minus sign, whole ones too', () => {
	assert.deepEqual([-7, -12345, -0.25, -1e-7, -1e20, 0, 7].map(number), ['−7', '−12,345', '−0.25', '−1e−7', '−1e20', '0', '7']);
	assert.deepEqual([-7, -1234, 1234].map(count), ['−7', '−1,234', '1,234']);
});

test('whole numbers have separators, those that are rounded to be whole as well', () => {
	assert.deepEqual([132700, 413512.4, -99999.6, 1234.56, 999.96, -0.00001, 2 ** 60].map(number),
		['132,700', '413,500', '−100,000', '1,235', '1,000', '−0.00001', '1.153e18']);
});

test('ages', () => {
	assert.deepEqual([-3, 0, 59.9, 60, 3599, 3600, 86400 * 9].map(age), ['0 s', '0 s', '59 s', '1 min', '59 min', '1 h', '9 d']);
});

test('the clock of the server, not of a machine that is wrong', () => {
	const now = Date.now();
	const near = (ms) => assert.ok(Math.abs(serverNow() - Date.now() - ms) < 2000, `${serverNow() - Date.now()}`);
	hear('nonsense', now, now);
	hear(null, now, now);
	near(0);
	hear(new Date(now + 7200e3).toUTCString(), now, now + 20);
	near(7200e3);
	hear(new Date(now).toUTCString(), now, now);
	near(0);
});

function press(key, more = {}) {
	const event = Object.assign(new Event('keydown', { cancelable: true }), { key }, more);
	Object.defineProperty(event, 'target', { value: { matches: () => Boolean(more.isTyping) } });
	document.dispatchEvent(event);
	return event.defaultPrevented;
}

test('keys: sequences, typing, switched off, and the last one that asked', () => {
	const seen = [];
	keys.startKeys();
	const stops = [keys.onKey('t', 'theme', () => seen.push('t')), keys.onKey('g w', 'workspace', () => seen.push('gw')),
		keys.onKey('Ctrl K', 'jump', () => seen.push('K'))];
	press('t');
	press('t', { isTyping: true });
	press('g');
	press('w');
	press('w');
	press('k', { ctrlKey: true, isTyping: true });
	press('t', { altKey: true });
	keys.switchSingleKeys(false);
	press('t');
	press('k', { metaKey: true });
	keys.switchSingleKeys(true);
	const stop = keys.onKey('t', 'other', () => seen.push('other'));
	press('t');
	stop();
	press('t');
	assert.deepEqual(seen, ['t', 'gw', 'K', 'K', 'other', 't']);
	assert.deepEqual(keys.keyMap().map((one) => one.key), ['t', 'g w', 'Ctrl K']);
	stops.forEach((one) => one());
	assert.equal(press('t'), false);
});

test('late rows are counted from the end on, in whichever order answers come', () => {
	const at = (end, rows, id = 'r') => ({ entity: 'ann', project: 'p', id, ended_at: end && `2026-01-0${end}T00:00:00Z`, rows });
	const told = (...runs) => runs.forEach(noteEnd);
	assert.equal(lateRows(at(1, 7)), 0, 'nothing is known of it');
	told(at(1, 5), at(1, 8), at(null, 4));
	assert.deepEqual([lateRows(at(1, 8)), lateRows(at(null, 4)), lateRows(at(1, 9))], [3, 0, 4]);
	assert.equal(lateRows(at(1, 8)), 3, 'reading only reads');
	told(at(2, 20), at(1, 5), at(2, 19));
	assert.deepEqual([lateRows(at(2, 21)), lateRows(at(1, 8))], [2, 0]);
	for (let n = 0; n < 9999; n++) told(at(1, 0, `of ${n}`));
	assert.equal(lateRows(at(2, 21)), 2);
	told(at(1, 0, 'one more'));
	assert.equal(lateRows(at(2, 21)), 0, 'the oldest note went');
});
