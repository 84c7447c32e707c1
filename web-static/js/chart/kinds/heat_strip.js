/*
 * Rows of small cells in one canvas, a row per label, a column per stretch of time. What has no value is hatched.
 * A column is one pixel wide, and the page stretches it: 4,096 rows take no longer than their cells do.
 */

import { css, el } from '../../base/dom.js';

function channels(text) {
	const [red, green, blue] = text.startsWith('#')
		? [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) : text.split(/[ ,]+/).map(Number);
	return { red, green, blue };
}

function mix(from, to, share) {
	const part = (name) => Math.round(from[name] + (to[name] - from[name]) * share);
	return (255 << 24 | part('blue') << 16 | part('green') << 8 | part('red')) >>> 0;
}

const STEPS = 64;
const BLANK = 0.28; /* of the scale of ratios is blank */

/* Colours from `from` to `to`; little of it is nothing at all. */
function ramp(from, to, blank) {
	return Uint32Array.from({ length: STEPS + 1 }, (_, step) => {
		const share = step / STEPS;
		return mix(from, to, share < blank ? 0 : 0.12 + share * 0.88);
	});
}

/* A tone: the colour of a value in a column is colours[value * scale[column] - shift[column]]. */
function tone(colours, wide, place) {
	const scale = new Float64Array(wide);
	const shift = new Float64Array(wide);
	for (let column = 0; column < wide; column++) [scale[column], shift[column]] = place(column);
	return { colours, scale, shift };
}

/*
 * Ratio to the middle of the column: slower is warm, faster is cool, the same is blank. `side` low: less is slower.
 * If the middle is 0, there is no ratio: a value of `reach` then has the full colour. Differences up to `noise` are blank.
 */
export function ratioTone(middle, full, side, reach = 0, noise = 0) {
	const zero = channels(css('--heat-0'));
	const [above, below] = side === 'low' ? ['--heat-fast', '--heat-slow'] : ['--heat-slow', '--heat-fast'];
	const up = ramp(zero, channels(css(above)), BLANK);
	const down = ramp(zero, channels(css(below)), BLANK);
	const colours = Uint32Array.from({ length: 2 * STEPS + 1 }, (_, at) => at < STEPS ? down[STEPS - at] : up[at - STEPS]);
	const least = fullOfNoise(noise);
	return tone(colours, middle.length, (column) => {
		const value = middle[column] || 0;
		const size = Math.abs(value) * full;
		if (value && size >= least) return [STEPS / (value * full), STEPS / full - STEPS];
		const absolute = Math.max(least, value ? 0 : reach) || 1;
		return [STEPS / absolute, value * STEPS / absolute - STEPS];
	});
}

/* The difference that has the full colour, if differences up to `noise` are blank. */
export function fullOfNoise(noise) {
	return noise / BLANK;
}

/* The value itself, from the least to the greatest. */
export function valueTone(least, greatest, wide) {
	const colours = ramp(channels(css('--heat-0')), channels(css('--heat-use')), 0);
	const scale = STEPS / (greatest - least || 1);
	return tone(colours, wide, () => [scale, least * scale]);
}

/* 11 px to 40 rows, 3 px to 300, 1 px above. */
export function rowHeight(count) {
	return count <= 40 ? 11 : count <= 300 ? 3 : 1;
}

function paintRow(pixels, { cells }, from, { colours, scale, shift }) {
	const last = colours.length - 1;
	const wide = Math.min(cells.length, scale.length);
	for (let x = 0; x < wide; x++) {
		const value = cells[x];
		if (value !== value) continue; /* NaN is silence and stays clear */
		const place = value * scale[x] - shift[x];
		pixels[from + x] = colours[place > last ? last : place < 0 ? 0 : (place + 0.5) | 0];
	}
}

/* One pixel a column, which the page stretches; what stays clear shows the hatching behind it. */
export function paintStrip(canvas, rows, wide, colouring, high = rowHeight(rows.length)) {
	canvas.width = Math.max(1, wide);
	canvas.height = Math.max(1, rows.length * high);
	if (!wide || !rows.length) return;
	const image = new ImageData(wide, rows.length * high);
	const pixels = new Uint32Array(image.data.buffer);
	const gap = mix(channels(css('--surface')), channels(css('--surface')), 0);
	rows.forEach((row, index) => {
		const from = index * high * wide;
		const inked = high > 5 ? high - 1 : high;
		paintRow(pixels, row, from, colouring);
		for (let line = 1; line < inked; line++) pixels.copyWithin(from + line * wide, from, from + wide);
		if (inked < high) pixels.fill(gap, from + inked * wide, from + high * wide);
	});
	canvas.getContext('2d').putImageData(image, 0, 0);
}

/* ramp: as run.css names them: high, low, use. */
export function heatKey({ from, to, ramp }, silent) {
	return el('div', { class: 'heat-key', 'aria-hidden': 'true' }, el('span', {}, from),
		el('i', { class: `ramp ${ramp}` }),
		el('span', {}, to), el('i', { class: 'hatch' }), el('span', {}, silent));
}
