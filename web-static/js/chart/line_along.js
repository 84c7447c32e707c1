/* Lines that few panels have: thin ones, and those with a path of their own. */

import { inPlot, paintAlong, placer, scalesOf } from './line_paint.js';
import { ink } from './palette.js';

/* Lines of members below those of their groups. */
export function paintThin(u, ones) {
	const pos = scalesOf(u, ones);
	inPlot(u, (ctx) => {
		for (const { line, smooth, scale } of ones) paintAlong(ctx, smooth, pos[scale], ink(line, 0.4));
	});
}

/* Lines in the order of rows, which have a path of their own; as wide as uPlot draws others. */
export function paintPath(u, ones) {
	if (!ones.some(({ path }) => path)) return;
	const x = placer(u, 'x');
	const y = Object.fromEntries([...new Set(ones.map(({ scale }) => scale))].map((name) => [name, placer(u, name)]));
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
