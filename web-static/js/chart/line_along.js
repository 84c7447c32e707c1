/* Lines that few panels have: thin ones, and those with a path of their own. */

import { inPlot, paintAlong, scalesOf } from './line_paint.js';
import { dashOf, ink } from './palette.js';

/* Lines of members below those of their groups. */
export function paintThin(u, ones) {
	const pos = scalesOf(u, ones);
	inPlot(u, (ctx) => {
		for (const { line, smooth, scale } of ones) paintAlong(ctx, smooth, pos[scale], ink(line, 0.4));
	});
}

/* Lines that have a path of their own, which uPlot does not draw: those in the order of rows. */
export function paintPath(u, ones) {
	inPlot(u, (ctx) => {
		ones.forEach(({ line, path, scale }, at) => {
			if (!path) return;
			ctx.strokeStyle = ink(line, u.series[at + 1].alpha);
			ctx.lineWidth = 1.5 * devicePixelRatio;
			ctx.setLineDash(dashOf(line).map((part) => part * devicePixelRatio));
			ctx.beginPath();
			path.forEach((point, nth) => {
				const to = point && [u.valToPos(point[0], 'x', true), u.valToPos(point[1], scale, true)];
				if (to) ctx[path[nth - 1] ? 'lineTo' : 'moveTo'](...to);
			});
			ctx.stroke();
		});
	});
}
