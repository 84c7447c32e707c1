/* Lines that few panels have: thin ones, and those with a path of their own, which are pointed at by what is drawn. */

import { ink } from '../../base/palette.js';
import { inPlot, paintAlong, placer, scalesOf } from './line_paint.js';

const NEAR_PX = 24; /* as plot_options.js has it of lines along x */
const drawn = new WeakMap(); /* of a plot: one -> its places */

/* Lines of members below those of their groups. */
export function paintThin(u, ones) {
	const pos = scalesOf(u, ones);
	inPlot(u, (ctx) => {
		for (const { line, smooth, scale } of ones) paintAlong(ctx, smooth, pos[scale], ink(line, 0.4));
	});
}

/* Returns functions that convert values to px of the canvas, for lines with a path of their own. */
function pathPlacers(u, ones) {
	const names = new Set(ones.map(({ scale }) => scale));
	return { x: placer(u, 'x'), y: Object.fromEntries([...names].map((name) => [name, placer(u, name)])) };
}

/* x and y of each point in px, NaN where the line is lifted. The mouse asks for them with each move: they are kept. */
function placesOf({ path, scale }, { x, y }) {
	const places = new Float32Array(path.length * 2).fill(NaN);
	path.forEach((point, nth) => point && places.set([x(point[0]), y[scale](point[1])], nth * 2));
	return places;
}

/* Lines in the order of rows, which have a path of their own; as wide as uPlot draws others. */
export function paintPath(u, ones) {
	if (!ones.some(({ path }) => path)) return;
	const placers = pathPlacers(u, ones);
	const all = new Map(ones.filter(({ path }) => path).map((one) => [one, placesOf(one, placers)]));
	drawn.set(u, all);
	inPlot(u, (ctx) => {
		ones.forEach((one, at) => {
			const { line, path } = one;
			if (!path) return;
			const places = all.get(one);
			const { alpha, width, dash } = u.series[at + 1];
			ctx.strokeStyle = ink(line, alpha);
			ctx.lineWidth = width * devicePixelRatio;
			ctx.setLineDash(dash);
			ctx.beginPath();
			path.forEach((point, nth) => point && ctx[path[nth - 1] ? 'lineTo' : 'moveTo'](places[nth * 2], places[nth * 2 + 1]));
			ctx.stroke();
		});
	});
}

/* How far a point is from a stretch of a line. Pure. */
export function farFrom(x, y, fromX, fromY, toX, toY) {
	const wide = toX - fromX;
	const high = toY - fromY;
	const along = ((x - fromX) * wide + (y - fromY) * high) / (wide * wide + high * high) || 0;
	const share = Math.max(0, Math.min(1, along));
	return Math.hypot(x - fromX - share * wide, y - fromY - share * high);
}

/* Pure. */
export function farFromPath([x, y], places) {
	let far = Infinity;
	for (let at = 0; at < places.length; at += 2) {
		const [toX, toY] = [places[at], places[at + 1]];
		if (Number.isNaN(toX)) continue;
		const from = at && !Number.isNaN(places[at - 2]) ? at - 2 : at;
		far = Math.min(far, farFrom(x, y, places[from], places[from + 1], toX, toY));
	}
	return far;
}

/* Returns how far the cursor is from a line along x, by the line's value there. */
function farAlong(u, ones, place) {
	const { idxs, top } = u.cursor;
	const { smooth, scale } = ones[place - 1];
	const value = smooth[idxs[place]];
	return Number.isFinite(value) ? Math.abs(u.valToPos(value, scale) - top) * devicePixelRatio : Infinity;
}

/* The place, from 1, of the line that is pointed at, of lines along x being it that of uPlot; null: none is near. */
export function nearestOne(u, ones, place) {
	const { cursor: { left, top }, bbox } = u;
	if (left < 0 || !ones.some(({ path }) => path)) return place;
	const at = [left * devicePixelRatio + bbox.left, top * devicePixelRatio + bbox.top];
	const found = { place, far: place ? farAlong(u, ones, place) : NEAR_PX * devicePixelRatio };
	ones.forEach((one, nth) => {
		const places = drawn.get(u)?.get(one);
		const far = places ? farFromPath(at, places) : Infinity;
		if (far < found.far) Object.assign(found, { place: nth + 1, far });
	});
	return found.place;
}
