/*
 * Places runs and versions from left to right: what was used is left of the run that used it, what a run made is right of it.
 * Layers by the longest path, their order by the mean place of neighbours, edges over several layers through places of their
 * own. A cycle, such as a run that uses what it made, is drawn with an edge to the left. Pure.
 */

export const NODE = { width: 208, height: 40 };
const [COLUMN, ROW, EDGE] = [NODE.width + 72, NODE.height + 12, 12];
const SWEEPS = 6;
const PLACES = 4000; /* of long edges; beyond that they are straight */

/* [{from, to}] of nodes that there are, each once. */
function arcsOf({ edges }, ids) {
	const found = new Map();
	for (const { run, version, way } of edges) {
		const [from, to] = way === 'output' ? [run, version] : [version, run];
		if (ids.has(from) && ids.has(to)) found.set(`${from}\0${to}`, { from, to });
	}
	return [...found.values()];
}

function neighbours(ids, arcs, of, other) {
	const found = new Map([...ids].map((id) => [id, []]));
	for (const arc of arcs) found.get(arc[of]).push(arc[other]);
	return found;
}

/* Returns the arcs that lead back to a node on the way to them, walked without recursion. */
function backArcs(ids, arcs) {
	const next = neighbours(ids, arcs, 'from', 'to');
	const state = new Map(); /* 1: on the way, 2: done */
	const back = new Set();
	for (const start of ids) {
		const way = state.has(start) ? [] : [[start, 0]];
		if (way.length) state.set(start, 1);
		while (way.length) {
			const top = way.at(-1);
			const [id, at] = top;
			const to = next.get(id)[at];
			top[1]++;
			if (to === undefined) {
				state.set(id, 2);
				way.pop();
			} else if (state.get(to) === 1) {
				back.add(`${id}\0${to}`);
			} else if (!state.has(to)) {
				state.set(to, 1);
				way.push([to, 0]);
			}
		}
	}
	return back;
}

/* The arcs without cycles, {from, to, isBack}: those that lead back are turned. */
function turned(ids, arcs) {
	const back = backArcs(ids, arcs);
	return arcs.map(({ from, to }) => back.has(`${from}\0${to}`) ? { from: to, to: from, isBack: true } : { from, to, isBack: false });
}

/* {id: layer}: one more than the last of what is before it; what has nothing before it is next to what follows. */
function layersOf(ids, arcs) {
	const before = neighbours(ids, arcs, 'to', 'from');
	const after = neighbours(ids, arcs, 'from', 'to');
	const open = new Map([...before].map(([id, list]) => [id, list.length]));
	const layers = new Map();
	const ready = [...ids].filter((id) => !open.get(id));
	for (let at = 0; at < ready.length; at++) {
		const id = ready[at];
		layers.set(id, Math.max(-1, ...before.get(id).map((one) => layers.get(one))) + 1);
		for (const to of after.get(id)) {
			open.set(to, open.get(to) - 1);
			if (!open.get(to)) ready.push(to);
		}
	}
	for (const id of ready.reverse()) {
		const right = after.get(id).map((one) => layers.get(one));
		if (!before.get(id).length && right.length) layers.set(id, Math.min(...right) - 1);
	}
	return layers;
}

/* Makes a place in each layer that a long edge crosses: {columns: [[place]], chains: the places of each arc}. */
function columnsOf(ids, arcs, layers) {
	const columns = Array.from({ length: Math.max(-1, ...layers.values()) + 1 }, () => []);
	const places = new Map();
	const add = (place) => columns[place.layer].push(place) && place;
	for (const id of ids) places.set(id, add({ id, layer: layers.get(id), height: ROW, before: [], after: [] }));
	let left = PLACES;
	const chains = arcs.map(({ from, to }) => {
		const chain = [places.get(from)];
		const between = layers.get(to) - layers.get(from) - 1;
		for (let at = 1; at <= between && left >= between; at++) chain.push(add({ id: null, layer: layers.get(from) + at, height: EDGE, before: [], after: [] }));
		if (between > 0) left -= between;
		chain.push(places.get(to));
		chain.slice(1).forEach((place, at) => {
			place.before.push(chain[at]);
			chain[at].after.push(place);
		});
		return chain;
	});
	return { columns, chains, places };
}

const mean = (list, of, none) => list.length ? list.reduce((sum, one) => sum + of(one), 0) / list.length : none;

/* Orders a column by the mean place of its neighbours on one side; what has none keeps its place. */
function sortBy(column, side) {
	const keys = new Map(column.map((place) => [place, mean(place[side], (one) => one.at, place.at)]));
	column.sort((a, b) => keys.get(a) - keys.get(b) || a.at - b.at);
	column.forEach((place, at) => {
		place.at = at;
	});
}

function order(columns) {
	for (const column of columns) column.forEach((place, at) => {
		place.at = at;
	});
	for (let sweep = 0; sweep < SWEEPS; sweep++) {
		for (const column of columns.slice(1)) sortBy(column, 'before');
		for (const column of columns.slice(0, -1).reverse()) sortBy(column, 'after');
	}
}

/* Keeps the order and the distances, and moves the whole so that it is as near as can be to what is wanted. */
function settle(column, wanted) {
	let past = -Infinity;
	let off = 0;
	column.forEach((place, at) => {
		place.y = Math.max(wanted[at], past);
		past = place.y + place.height;
		off += wanted[at] - place.y;
	});
	if (column.length) for (const place of column) place.y += off / column.length;
}

function place(columns) {
	for (const column of columns) settle(column, column.map(() => 0));
	for (let sweep = 0; sweep < SWEEPS; sweep++) {
		for (const column of sweep % 2 ? [...columns].reverse() : columns) {
			settle(column, column.map((one) => mean([...one.before, ...one.after], (other) => other.y + other.height / 2, one.y + one.height / 2) - one.height / 2));
		}
	}
	const top = Math.min(...columns.flat().map(({ y }) => y));
	for (const one of columns.flat()) one.y = Math.round(one.y - top);
}

/*
 * {width, height, nodes: [{id, layer, x, y}] by columns from top to bottom, edges: [{from, to, isBack, points: [[x, y]]}]}; an edge begins at the right
 * of a node and ends at the left of another, or the other way round if it leads back.
 */
export function layout(graph) {
	const ids = new Set([...graph.runs, ...graph.versions].map(({ node }) => node));
	const arcs = turned(ids, arcsOf(graph, ids));
	const { columns, chains } = columnsOf(ids, arcs, layersOf(ids, arcs));
	order(columns);
	place(columns);
	const x = ({ layer }) => layer * COLUMN;
	const middle = ({ y, height }) => y + (height === ROW ? NODE.height : height) / 2;
	const nodes = columns.flatMap((column) => column.filter(({ id }) => id !== null))
		.map((one) => ({ id: one.id, layer: one.layer, x: x(one), y: one.y }));
	const edges = chains.map((chain, at) => {
		const points = chain.flatMap((one) => [[x(one), middle(one)], [x(one) + NODE.width, middle(one)]]).slice(1, -1);
		const { from, to, isBack } = arcs[at];
		return isBack ? { from: to, to: from, isBack, points: points.reverse() } : { from, to, isBack, points };
	});
	return {
		nodes, edges,
		width: Math.max(0, columns.length - 1) * COLUMN + NODE.width,
		height: Math.max(0, ...nodes.map(({ y }) => y)) + NODE.height,
	};
}

/* The node that an arrow leads to: along an edge to the nearest one, or up and down in the column. null: there is none. */
export function neighbourOf({ nodes, edges }, id, key) {
	const at = nodes.findIndex((one) => one.id === id);
	const here = nodes[at];
	if (key === 'ArrowUp' || key === 'ArrowDown') {
		const next = nodes[at + (key === 'ArrowUp' ? -1 : 1)];
		return next?.layer === here.layer ? next.id : null;
	}
	const isLeft = key === 'ArrowLeft';
	const known = new Map(nodes.map((one) => [one.id, one]));
	const found = edges.filter(({ from, to }) => from === id || to === id).map(({ from, to }) => known.get(from === id ? to : from))
		.filter(({ layer }) => isLeft ? layer < here.layer : layer > here.layer)
		.sort((a, b) => Math.abs(a.layer - here.layer) - Math.abs(b.layer - here.layer) || Math.abs(a.y - here.y) - Math.abs(b.y - here.y));
	return found[0]?.id ?? null;
}
