import assert from 'node:assert/strict';
import { test } from 'node:test';

import { layout, neighbourOf, NODE } from '../../../web-static/js/artifacts/lineage_layout.js';

/* 'a>r' is a version that a run used, 'r>a' one that it made; runs are r and digits. */
function graph(...lines) {
	const nodes = new Set(lines.flatMap((line) => line.split('>')));
	const isRun = (id) => /^r\d*$/.test(id);
	return {
		runs: [...nodes].filter(isRun).map((node) => ({ node })),
		versions: [...nodes].filter((id) => !isRun(id)).map((node) => ({ node })),
		edges: lines.filter((line) => line.includes('>')).map((line) => line.split('>'))
			.map(([from, to]) => isRun(from) ? { run: from, version: to, way: 'output' } : { run: to, version: from, way: 'input' }),
	};
}

const layers = ({ nodes }) => Object.fromEntries(nodes.map(({ id, layer }) => [id, layer]));

function overlaps({ nodes }) {
	return nodes.filter((one, at) => nodes.slice(at + 1).some((other) => one.layer === other.layer && Math.abs(one.y - other.y) < NODE.height));
}

function crossings({ edges, nodes }) {
	const y = new Map(nodes.map((one) => [one.id, one.y]));
	const layer = new Map(nodes.map((one) => [one.id, one.layer]));
	let found = 0;
	edges.forEach((a, at) => edges.slice(at + 1).forEach((b) => {
		if (layer.get(a.from) === layer.get(b.from) && layer.get(a.to) === layer.get(b.to)
			&& (y.get(a.from) - y.get(b.from)) * (y.get(a.to) - y.get(b.to)) < 0) found++;
	}));
	return found;
}

test('what was used is left of a run, what it made is right of it', () => {
	const found = layout(graph('data>r1', 'r1>model', 'model>r2', 'r2>report', 'test>r2'));
	assert.deepEqual(layers(found), { data: 0, r1: 1, model: 2, test: 2, r2: 3, report: 4 }, 'what has nothing before it is next to its run');
	assert.deepEqual(overlaps(found), []);
	assert.ok(found.nodes.every(({ x, y }) => x >= 0 && y >= 0 && x + NODE.width <= found.width && y + NODE.height <= found.height));
	const edge = found.edges.find(({ from, to }) => from === 'model' && to === 'r2');
	const [left, right] = ['model', 'r2'].map((id) => found.nodes.find((one) => one.id === id));
	assert.deepEqual(edge.points, [[left.x + NODE.width, left.y + NODE.height / 2], [right.x, right.y + NODE.height / 2]]);
});

test('the order of a column follows its neighbours', () => {
	const lines = [];
	for (let at = 0; at < 8; at++) lines.push(`d${at}>r${at}`, `r${at}>m${(at * 3) % 8}`);
	assert.equal(crossings(layout(graph(...lines))), 0);
});

test('a cycle is drawn, with an edge that leads back', () => {
	const found = layout(graph('a>r', 'r>a', 'r>b', 'b>r2', 'r2>a'));
	assert.equal(found.nodes.length, 4);
	assert.ok(found.edges.some(({ isBack }) => isBack));
	for (const { from, to, isBack } of found.edges) {
		assert.equal(layers(found)[from] < layers(found)[to], !isBack);
	}
});

test('an edge over several columns goes between the nodes of these', () => {
	const found = layout(graph('a>r1', 'r1>b', 'b>r2', 'r2>c', 'c>r3', 'a>r3'));
	const long = found.edges.find(({ from, to }) => from === 'a' && to === 'r3');
	assert.equal(long.points.length, 2 + 2 * 4);
	for (const [x, y] of long.points.slice(1, -1)) {
		assert.ok(found.nodes.every((one) => x < one.x || x > one.x + NODE.width || y <= one.y || y >= one.y + NODE.height), `${x} ${y}`);
	}
});

test('nothing, one, the same edge twice, and edges of nodes that are left out', () => {
	assert.deepEqual(layout(graph()).nodes, []);
	assert.deepEqual(layout(graph('a')).nodes, [{ id: 'a', layer: 0, x: 0, y: 0 }]);
	const twice = graph('a>r', 'a>r');
	twice.edges.push({ run: 'gone', version: 'a', way: 'output' });
	assert.equal(layout(twice).edges.length, 1);
});

test('arrows go along edges and up and down', () => {
	const found = layout(graph('a>r1', 'b>r1', 'r1>c'));
	const [upper, lower] = found.nodes.filter(({ layer }) => layer === 0).map(({ id }) => id);
	assert.deepEqual([neighbourOf(found, upper, 'ArrowDown'), neighbourOf(found, lower, 'ArrowUp'), neighbourOf(found, lower, 'ArrowDown')], [lower, upper, null]);
	assert.deepEqual([neighbourOf(found, 'a', 'ArrowRight'), neighbourOf(found, 'r1', 'ArrowRight'), neighbourOf(found, 'c', 'ArrowRight')], ['r1', 'c', null]);
	assert.equal(neighbourOf(found, 'c', 'ArrowLeft'), 'r1');
});

test('a thousand nodes with long edges are placed without overlaps', () => {
	const lines = [];
	for (let at = 0; at < 500; at++) {
		lines.push(`v${at}>r${at}`, `r${at}>v${at + 1 + (at % 7)}`);
		if (at % 3 === 0) lines.push(`v${Math.max(0, at - 40)}>r${at}`);
	}
	const found = layout(graph(...lines));
	assert.ok(found.nodes.length > 1000);
	assert.deepEqual(overlaps(found), []);
});

test('three hundred versions of one run are one column', () => {
	const found = layout(graph(...Array.from({ length: 300 }, (_, at) => `r1>m${at}`)));
	assert.deepEqual([Math.max(...found.nodes.map(({ layer }) => layer)), overlaps(found).length], [1, 0]);
	const run = found.nodes.find(({ id }) => id === 'r1');
	assert.ok(Math.abs(run.y - found.height / 2) < 60, 'the run is at the middle of what it made');
});
