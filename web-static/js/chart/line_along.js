/* Lines that few panels have: thin ones, and those with a path of their own, which are pointed at by what is drawn. */

import { inPlot, paintAlong, placer, scalesOf } from './line_paint.js';
import { ink } from './palette.js';

const NEAR_PX = 24; /* as plot_options.js has it of lines along x */

/* Lines of members below those of their groups. */
export function paintThin(u, ones) {
	const pos = scalesOf(u, ones);
	inPlot(u, (ctx) => {
		for (const { line, smooth, scale } of ones) paintAlong(ctx, smooth, pos[scale], ink(line, 0.4));
	});
}

/* Of lines with a path of their own the places of values in px of the canvas. */
function pathPlacers(u, ones) {
	const names = new Set(ones.map(({ scale }) => scale));
	return { x: placer(u, 'x'), y: Object.fromEntries([...names].map((name) => [name, placer(u, name)])) };
}

/* Lines in the order of rows, which have a path of their own; as wide as uPlot draws others. */
export function paintPath(u, ones) {
	if (!ones.some(({ path }) => path)) return;
	const { x, y } = pathPlacers(u, ones);
	inPlot(u, (ctx) => {
		ones.forEach(({ line, path, scale }, at) => {
			if (!path) return;
			const { alpha, width, dash } = u.series[at + 1];
			ctx.strokeStyle = ink(line, alpha);
			ctx.lineWidth = width * devicePixelRatio;
			ctx.setLineDash(dash);
			ctx.beginPath();
			path.forEach((point, nth) => point && ctx[path[nth - 1] ? 'lineTo' : 'moveTo'](x(point[0]), y[scale](point[1])));
			ctx.stroke();
		});
	});
}

/* How far a point is from a stretch of a line. Pure. */
export function farFrom([x, y], [fromX, fromY], [toX, toY]) {
	const [wide, high] = [toX - fromX, toY - fromY];
	const along = ((x - fromX) * wide + (y - fromY) * high) / (wide * wide + high * high) || 0;
	const share = Math.max(0, Math.min(1, along));
	return Math.hypot(x - fromX - share * wide, y - fromY - share * high);
}

function farFromPath(at, { path, scale }, { x, y }) {
	let [far, before] = [Infinity, null];
	for (const point of path) {
		const here = point && [x(point[0]), y[scale](point[1])];
		if (here) far = Math.min(far, farFrom(at, before || here, here));
		before = here;
	}
	return far;
}

/* Of a line along x, by the value there. */
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
	const places = pathPlacers(u, ones);
	const found = { place, far: place ? farAlong(u, ones, place) : NEAR_PX * devicePixelRatio };
	ones.forEach((one, nth) => {
		const far = one.path ? farFromPath(at, one, places) : Infinity;
		if (far < found.far) Object.assign(found, { place: nth + 1, far });
	});
	return found.place;
}
