import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

const { history } = makeWindow('http://cairn.test/ann/p');
const { panelOffers } = await import('../../../web-static/js/chart/panel/panel_offers.js');

const { suggested } = await import('../../../web-static/js/list/model/key_order.js');

const KINDS = { 'config.arch': ['text'], 'config.lr': ['number'], 'summary._step': ['number'], 'summary.only': ['number'],
	'summary.loss': ['number'], 'summary.note': ['text'], 'summary.acc': ['number'] };
globalThis.fetch = async () => Response.json({ count: Object.keys(KINDS).length,
	items: Object.entries(KINDS).map(([field, kinds]) => ({ field, kinds })) });

/* The charts of a project whose rows have these keys. */
function offers(query = '') {
	history.replaceState(null, '', `/ann/p${query}`);
	return panelOffers({ entity: 'ann', project: 'p' }, () => ({ keys: ['acc', 'loss', 'hist'], kinds: { hist: 'histogram' } }));
}

test('for axes columns are offered first, then metrics of panels, other metrics and the config; the rest after', async () => {
	const found = await offers('?cols=name,config.lr,min(acc)').list('values');
	assert.deepEqual(found.slice(0, 4), ['config.lr', 'summary.acc', 'summary.loss', 'summary.only']);
	assert.deepEqual(found.slice(4, 9), ['writers', 'writers_lost', 'rows', 'duration', 'summary._step']);
	assert.deepEqual(found.slice(9, 12), ['config.arch', 'name', 'id']);
	assert.equal(found.length, 23, 'each once');
});

test('columns that the list has unasked are offered first, too', async () => {
	assert.deepEqual((await offers().list('fields')).slice(0, 4), ['summary.loss', 'config.lr', 'summary.acc', 'summary.only']);
});

test('numbers alone are in the same order', async () => {
	assert.deepEqual(await offers('?cols=name').list('fields'),
		['summary.acc', 'summary.loss', 'summary.only', 'config.lr', 'writers', 'writers_lost', 'rows', 'duration', 'summary._step']);
});

test('for what tells runs apart the config is offered first, categories before numbers, then tags and groups', async () => {
	const found = await offers().list('categories');
	assert.deepEqual(found.slice(0, 5), ['config.arch', 'config.lr', 'group', 'job_type', 'tags']);
	assert.ok(found.indexOf('name') < found.indexOf('summary.only'));
});

test('suggestions: fields, metrics, configs, the own of the SDK; no parts of media', () => {
	assert.deepEqual(suggested(['name', 'config.a', 'summary._step', 'summary.loss', 'summary.img.width', 'summary.img._type', 'summary.img.deep.er',
		'summary.imgs', 'summary.t.sha256', 'config.t.sha256', 'state']),
	['name', 'state', 'summary.loss', 'summary.imgs', 'config.a', 'config.t.sha256', 'summary._step']);
});
