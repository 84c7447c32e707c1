/* Of which runs of a list definitions of metrics are read, and when again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';
import { settled } from './settled.mjs';

makeWindow();
await import('../../../web-static/js/chart/data/key_definitions.js'); /* that is loaded when it is needed */
const { runDefinitions } = await import('../../../web-static/js/chart/data/run_definitions.js');

const KEYS = ['loss', 'epoch'];

/* steps: of runs that define what loss lies along, a status in its place, or {name, until: a promise}; `asked` are paths below the project, `told` that x. */
function serve(t, steps) {
	const asked = [];
	const told = [];
	globalThis.fetch = async (url) => {
		const path = url.pathname.replace(/.*\/projects\/ann\/p\//, '') + url.search;
		asked.push(path);
		if (path.startsWith('runs?')) return Response.json({ items: ['b'].map((id) => ({ id })) });
		const step = steps[path.split('/')[1]];
		if (typeof step === 'number') return Response.json({}, { status: step });
		await step?.until;
		return Response.json(step ? [{ 1: 'loss', 4: step.name ?? step }] : null);
	};
	const definitions = runDefinitions({ entity: 'ann', project: 'p' }, ({ xOf }) => told.push(xOf(['loss'], KEYS)));
	t.after(definitions.stop);
	return { definitions, asked, told };
}

const drawn = (...ids) => ({ runs: ids.map((id) => ({ id })), groups: [], scope: { counted: '' } });
const configs = (...ids) => ids.map((id) => `runs/${id}/config?pointer=/_wandb/m`);

test('of the first few runs, each once; of none what was known stays', async (t) => {
	const steps = { b: 'epoch' };
	const { definitions, asked, told } = serve(t, steps);
	definitions.draw(drawn());
	await settled();
	assert.deepEqual([asked, told], [[], []]);
	definitions.draw(drawn('a', 'b', 'c'));
	await settled();
	definitions.draw(drawn('a', 'b', 'c'));
	definitions.draw(drawn('b', 'a'));
	definitions.draw(drawn());
	await settled();
	assert.deepEqual([asked, told], [configs('a', 'b', 'c'), ['epoch']]);
});

test('three at once; of those that stand first, as far as any defines what one looks at', async (t) => {
	const ids = [...'abcdefghijklmn'];
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { definitions, asked, told } = serve(t, { e: 'epoch' });
	definitions.draw(drawn(...ids));
	await settled();
	assert.deepEqual([asked, told], [configs('a', 'b', 'c'), []]);
	await pass(t, 0);
	assert.deepEqual([asked.length, told], [6, ['epoch']]);
	for (let at = 0; at < 5; at++) await pass(t, 0);
	assert.deepEqual(asked, configs(...ids.slice(0, 12)));
});

test('those that are gone are asked for once, and again when they went on', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { definitions, asked } = serve(t, { a: 404, b: 404, c: 404, d: 404 });
	definitions.draw(drawn('a', 'b', 'c', 'd'));
	for (let at = 0; at < 9; at++) await pass(t, 1000);
	assert.deepEqual(asked, configs('a', 'b', 'c', 'd'));
});

test('of many that go on three are read at a time, in turn', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { definitions, asked } = serve(t, {});
	definitions.draw(drawn(...'abcdef'));
	for (let at = 0; at < 3; at++) await pass(t, 0);
	[...'abcdef'].forEach(definitions.changed);
	await pass(t, 10000);
	[...'abcdef'].forEach(definitions.changed);
	await pass(t, 10000);
	assert.deepEqual(asked.slice(6), configs(...'abcdef'));
});

test('those that cannot be read hold up no others', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { definitions, told } = serve(t, { a: 500, b: 500, c: 500, d: 'epoch' });
	definitions.draw(drawn('a', 'b', 'c', 'd'));
	await settled();
	for (let at = 0; at < 3; at++) await pass(t, 5000);
	assert.deepEqual(told, ['epoch']);
});

test('of groups the newest runs that count in them', async (t) => {
	const { definitions, asked, told } = serve(t, { b: 'epoch' });
	definitions.draw({ runs: [{ id: 'a' }], groups: [{}], scope: { counted: 'state:running' } });
	await settled();
	assert.deepEqual([asked, told], [['runs?filter=state%3Arunning&order=-created_at&limit=12', ...configs('b')], ['epoch']]);
});

test('again of a run that went on, not at once', async (t) => {
	const steps = { b: undefined };
	const { definitions, asked, told } = serve(t, steps);
	definitions.draw(drawn('a', 'b'));
	await settled();
	t.mock.timers.enable({ apis: ['setTimeout'] });
	steps.b = 'epoch';
	definitions.changed('b');
	definitions.changed('elsewhere');
	t.mock.timers.tick(9000);
	assert.deepEqual(asked, configs('a', 'b'));
	t.mock.timers.tick(1000);
	t.mock.timers.reset();
	await settled();
	assert.deepEqual([asked, told], [configs('a', 'b', 'b'), ['epoch']]);
});

/* A timer of so many ms, and all that goes on then. */
async function pass(t, ms) {
	t.mock.timers.tick(ms);
	await settled();
}

test('what comes of a run while it is read is read after it', async (t) => {
	const steps = { a: undefined };
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { definitions, asked, told } = serve(t, steps);
	definitions.draw(drawn('a'));
	await settled();
	let goOn = null;
	const until = new Promise((done) => (goOn = done));
	steps.a = { name: 'old', until };
	definitions.changed('a');
	await pass(t, 10000);
	definitions.changed('a');
	steps.a = 'epoch';
	goOn();
	await settled();
	await pass(t, 10000);
	assert.deepEqual(asked, configs('a', 'a', 'a'));
	assert.equal(told.at(-1), 'epoch');
});

test('a run that could not be read is read again, and none is left out for it', async (t) => {
	const steps = { a: 500, b: 'epoch' };
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { definitions, asked, told } = serve(t, steps);
	definitions.draw(drawn('a', 'b'));
	await settled();
	assert.deepEqual(told, []);
	steps.a = '_step';
	await pass(t, 5000);
	assert.deepEqual([asked, told], [configs('a', 'b', 'a'), ['_step']]);
	steps.a = 500;
	definitions.changed('a');
	await pass(t, 10000);
	steps.a = 'epoch';
	await pass(t, 5000);
	assert.deepEqual([asked.length, told.at(-1)], [5, 'epoch']);
});

test('what comes of a run while it is read first is read after it', async (t) => {
	let goOn = null;
	const steps = { a: { name: 'old', until: new Promise((done) => (goOn = done)) } };
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { definitions, asked, told } = serve(t, steps);
	definitions.draw(drawn('a'));
	await settled();
	definitions.changed('a');
	steps.a = 'epoch';
	goOn();
	await settled();
	await pass(t, 10000);
	assert.deepEqual([asked, told.at(-1)], [configs('a', 'a'), 'epoch']);
});

test('one that fails on and on, or is gone, holds up none', async (t) => {
	const steps = { a: 500, b: 'epoch', c: 404 };
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { definitions, told } = serve(t, steps);
	definitions.draw(drawn('a', 'b', 'c'));
	await settled();
	assert.deepEqual(told, []);
	await pass(t, 5000);
	assert.deepEqual(told, ['epoch']);
});
