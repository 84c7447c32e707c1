/* Reference lines at a value or a step, with their names: on the canvas of a panel, and as SVG. */

import { css, svg } from '../../base/dom.js';
import { number } from '../../base/format.js';
import { visible } from '../../base/visible.js';

const DASH = [2, 3];
const ROOM = 4; /* px between a line and its name */

export const refName = ({ at, label }) => label || number(at);

/* Returns the lines that have a place on their axis, which may be logarithmic, with their place in px of the plot. */
function placed(plot, refs, toPx) {
	return refs
		.filter(({ axis, at }) => plot.scales[axis].distr !== 3 || at > 0)
		.map((ref) => ({ ...ref, px: toPx(ref.at, ref.axis) }));
}

export function paintRefs(u, refs) {
	const { ctx, bbox: { left, top, width, height } } = u;
	const dpr = devicePixelRatio;
	ctx.save();
	ctx.beginPath();
	ctx.rect(left, top, width, height);
	ctx.clip();
	ctx.lineWidth = dpr;
	ctx.strokeStyle = ctx.fillStyle = css('--text-2');
	ctx.setLineDash(DASH.map((part) => part * dpr));
	ctx.font = `${11 * dpr}px ${css('--font')}`;
	ctx.textBaseline = 'bottom';
	for (const { axis, px, ...ref } of placed(u, refs, (at, name) => Math.round(u.valToPos(at, name, true)) + 0.5)) {
		ctx.beginPath();
		ctx.moveTo(axis === 'x' ? px : left, axis === 'x' ? top : px);
		ctx.lineTo(axis === 'x' ? px : left + width, axis === 'x' ? top + height : px);
		ctx.stroke();
		ctx.textAlign = axis === 'x' ? 'left' : 'right';
		if (axis === 'x') ctx.fillText(visible(refName(ref)), px + ROOM * dpr, top + 16 * dpr);
		else ctx.fillText(visible(refName(ref)), left + width - ROOM * dpr, px > top + 16 * dpr ? px - 2 : px + 14 * dpr);
	}
	ctx.restore();
}

/* size: {wide, high} of the plot. */
export function refNodes(plot, refs, { wide, high }) {
	const stroke = { stroke: css('--text-2'), 'stroke-dasharray': DASH.join(' ') };
	const words = { fill: css('--text-2'), 'font-size': 11 };
	const along = {
		x: (px) => [{ x1: px, x2: px, y1: 0, y2: high }, { x: px + ROOM, y: 14 }],
		y: (px) => [{ x1: 0, x2: wide, y1: px, y2: px },
			{ x: wide - ROOM, y: px > 16 ? px - 3 : px + 13, 'text-anchor': 'end' }],
	};
	const there = placed(plot, refs, (at, name) => Number(plot.valToPos(at, name).toFixed(2)));
	return there.map(({ axis, px, ...ref }) => {
		const [line, place] = along[axis](px);
		return [svg('line', { ...stroke, ...line }), svg('text', { ...words, ...place }, refName(ref))];
	});
}
