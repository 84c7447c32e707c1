import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { expressionsOf, isBegun, knownKeys } = await import('../../../web-static/js/list/model/known_keys.js');
const { spotAt } = await import('../../../web-static/js/base/filter_text.js');

/* A server of so many keys, of which it tells 1,000 at once; `asked` are what it was asked to find. */
function serve(number, { isAway = () => false } = {}) {
	const all = Array.from({ length: number }, (_, at) => `config.k${String(at).padStart(5, '0')}`);
	const asked = [];
	globalThis.fetch = async (url) => {
		if (isAway()) return Response.json({ detail: 'not now' }, { status: 500 });
		if (url.pathname.endsWith('/values')) return Response.json({ items: [{ value: 7 }] });
		const match = url.searchParams.get('match');
		const [, wanted, either] = /^\/(.*)\/(i?)$/.exec(match ?? '//');
		const found = all.filter((key) => new RegExp(wanted, either).test(key));
		asked.push(match);
		return Response.json({ items: found.slice(0, 1000).map((field) => ({ field, kinds: ['number'] })), count: found.length });
	};
	return { asked, known: knownKeys({ entity: 'ann', project: 'p' }) };
}

test('keys beyond the first are asked for by what is typed, once', async () => {
	const { known, asked } = serve(5000);
	assert.equal(await known.learn(), null);
	assert.deepEqual([known.keys().includes('config.k04321'), known.isNumber('config.k04321')], [false, false]);
	const [first, second] = [known.find('K043'), known.find('K0432')];
	assert.deepEqual([await first, await second], [false, true], 'what is typed on is asked for alone');
	assert.deepEqual(known.keys().filter((key) => key.startsWith('config.k0432')).length, 10);
	assert.equal(known.isNumber('config.k04321'), true);
	assert.equal(await known.find('K0432'), false);
	assert.equal(await known.find('k049[12]', { isExpression: true }), true);
	assert.equal(await known.find('x'.repeat(300)), false);
	assert.deepEqual(asked, [null, '/K0432/i', '/k049[12]/i']);
});

test('kinds of chosen keys are asked for by their names', async () => {
	const { known, asked } = serve(5000);
	assert.equal(await known.learnOf(['config.k04321']), false, 'nothing is known yet');
	await known.learn();
	assert.equal(await known.learnOf(['config.k00001', 'name', 'config.k04321', 'config.none']), true);
	assert.deepEqual([known.isNumber('config.k04321'), known.isNumber('config.none')], [true, false]);
	assert.deepEqual(asked.slice(1), ['/^(?:config\\.k04321$|config\\.none$)/']);
	assert.equal(await known.learnOf(['config.none']), false);
	assert.equal(await known.learnOf(['config.none']), false);
	assert.equal(asked.length, 3);
});

test('what no run has is told with what may be meant', async () => {
	const { known } = serve(5000);
	await known.learn();
	assert.equal(await known.missing(['config.k00001', 'config.k04321', 'config', 'state']), null);
	assert.deepEqual(await known.missing(['config.k0004']), { key: 'config.k0004', meant: 'config.k00004' });
	assert.deepEqual(await known.missing(['summary.none']), { key: 'summary.none', meant: '' });
	const offline = serve(30, { isAway: () => true });
	assert.equal(await offline.known.missing(['config.none', 'min(none)']), null, 'nobody knows');
});

test('a column of a metric that no rows have is told', async () => {
	globalThis.fetch = async () => Response.json({ items: [{ key: 'loss', kinds: ['number'] }, { key: 'note', kinds: ['text'] }] });
	const known = knownKeys({ entity: 'ann', project: 'p' });
	assert.equal(await known.missing(['min(loss)', 'loss@best(acc)']), null);
	assert.deepEqual(await known.missing(['state', 'min(los)']), { key: 'min(los)', meant: 'loss' });
	assert.deepEqual(await known.missing(['mean(note)']), { key: 'mean(note)', meant: '' });
});

test('who has few keys asks for no others', async () => {
	const { known, asked } = serve(30);
	await known.learn();
	assert.deepEqual([await known.find('k0'), await known.learnOf(['config.none'])], [false, false]);
	assert.deepEqual(asked, [null]);
});

test('expressions are as long as the server takes them', () => {
	const keys = Array.from({ length: 40 }, (_, at) => `summary.a/(${at})`);
	const found = expressionsOf([...keys, `config.${'long.'.repeat(90)}`]);
	assert.ok(found.every((one) => one.length <= 256) && found.length > 1);
	for (const key of keys) assert.equal(found.filter((one) => new RegExp(one.slice(1, -1)).test(key)).length, 1);
	assert.ok(new RegExp(found.at(-1).slice(1, -1)).test(`config.${'long.'.repeat(90)}`));
});

test('values that could not be read are asked for again', async () => {
	let isAway = true;
	const { known } = serve(3, { isAway: () => isAway });
	assert.deepEqual(await known.values('config.k00001'), []);
	isAway = false;
	assert.deepEqual(await known.values('config.k00001'), [7]);
	isAway = true;
	assert.deepEqual(await known.values('config.k00001'), [7]);
});

test('what is typed is only begun while something that is known goes on with it', () => {
	const keys = ['name', 'state', 'config.lr', 'config.arch', 'summary.eval/loss', 'summary.eval/loss_std'];
	const values = { state: ['crashed', 'running'], 'config.arch': ['moe', 'moe-8x1b', 7, 'null'], 'config.lr': [0.01, 0.001] };
	const begun = (typed) => {
		const spot = spotAt(typed, typed.length);
		return isBegun(typed, spot, spot.part === 'key' ? keys : values[spot.key] ?? []);
	};
	const halves = ['config.l', 'config.lr', 'na', 'lo', 'state:', 'state:cra', 'state:running,c', 'state:running config.a',
		'config.arch:mo', 'config.arch:"mo', 'config.lr:0.0', 'config.lr<', 'config.lr<=', 'has:summary.ev', 'has:'];
	const wholes = ['', 'mossy', 'state:crashed', 'state:crashed ', 'state:nonsense', 'config.arch:moe', 'config.arch:7', 'config.arch:/mo',
		'config.lr<0.0', 'config.lr<=0.0', 'has:summary.eval/loss', 'config.none:a', '(', 'state:running,crashed'];
	assert.deepEqual(halves.filter((typed) => !begun(typed)), []);
	assert.deepEqual(wholes.filter(begun), []);
});
