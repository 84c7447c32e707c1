/* What is shown of long tables and texts is their beginning, and how much more there is is said. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeShapes, makeWindow } from './browser.mjs';

makeWindow();
makeShapes();
const { panelTable } = await import('../../../web-static/js/chart/line/panel_table.js');
const { diffPart } = await import('../../../web-static/js/compare/diff_dialog.js');
const { el } = await import('../../../web-static/js/base/dom.js');

const inNode = (...children) => el('div', {}, children);

test('of a panel as a table', () => {
	const one = (values) => ({ mean: values, min: values, max: values, n: [1], nan: [0], pinf: [0], ninf: [0] });
	const line = (_, at) => ({ ...one([at]), name: `r${at}` });
	const tableOf = (length) => inNode(panelTable({ shown: Array.from({ length }, line), name: 'loss', order: { now: () => ({ inRows: (of) => of }) } }));
	const [whole, cut] = [tableOf(200), tableOf(1200)];
	assert.deepEqual([whole, cut].map((node) => [node.all('tr').length, node.all('p').map((one) => one.said())]),
		[[201, []], [201, ['and 1,000 more']]]);
});

test('of what two runs were started with', () => {
	const linesOf = (length) => Array.from({ length }, (_, at) => `+${at}`).join('\n');
	const [whole, cut] = [5000, 6200].map((length) => inNode(diffPart('Git', '', linesOf(length))));
	assert.deepEqual([whole, cut].map((node) => [node.all('pre')[0].children.length, node.all('p').map((one) => one.said())]),
		[[5000, []], [5000, ['and 1,200 more lines']]]);
	assert.equal(diffPart('Git', 'a', 'a'), null);
});
