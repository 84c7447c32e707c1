/*
 * Paints around uPlot's lines: bands and raw lines below them, marks of NaN and Inf above. All within the plot.
 */

import { css } from '../../base/dom.js';
import { ink } from '../../base/palette.js';
import { countChanges } from './lines.js';

const MARK = 3;
const MANY_BANDS = 3; /* more are fainter, because they overlap */
const REACHED = 4; /* px between a line and a spike */
const CROWDED = 20; /* events: more are thin and faint */
const FAINT = 0.4;

export function inPlot(u, paint) {
	const { ctx, bbox } = u;
	ctx.save();
	ctx.beginPath();
	ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
	ctx.clip();
	paint(ctx, bbox);
	ctx.restore();
}

/* Runs of places that are filled, as [from, to]; places over which the line goes on are left out. */
export function stretches(low, values) {
	const found = [];
	let part = [];
	low.forEach((value, at) => {
		if (value !== null && value !== undefined) part.push(at);
		else if (values[at] === null && part.length) found.push(part), part = [];
	});
	if (part.length) found.push(part);
	return found;
}

function paintBand(u, ctx, one, { low, high }, { pos, areMany }) {
	const wide = Math.max(1, devicePixelRatio);
	const { distr, min } = u.scales[one.scale];
	const lowest = distr === 3 ? min : -Infinity;
	ctx.fillStyle = ink(one.line, areMany ? 0.09 : 0.16);
	ctx.strokeStyle = ink(one.line, areMany ? 0.25 : 0.45);
	ctx.lineWidth = wide;
	for (const part of stretches(low, one.raw)) {
		const top = part.map((at) => [pos.x(at), pos.y(Math.max(high[at], lowest))]);
		const bottom = part.map((at) => [pos.x(at), pos.y(Math.max(low[at], lowest))]);
		ctx.beginPath();
		for (const [x, y] of [...top, ...bottom.reverse()]) ctx.lineTo(x, y);
		ctx.fill();
		paintSpikes(ctx, top, bottom.reverse(), part.map((at) => pos.y(one.smooth[at])));
	}
}

/* A bucket that is much taller than its neighbours, or apart from them, is one px wide: it gets a line of its own. */
function paintSpikes(ctx, top, bottom, line) {
	const tall = top.map(([, y], i) => bottom[i][1] - y);
	ctx.beginPath();
	tall.forEach((height, i) => {
		const beside = Math.min(tall[i - 1] ?? Infinity, tall[i + 1] ?? Infinity);
		if (tall.length > 1 && height <= beside * 3 + 6) return;
		ctx.moveTo(...top[i]);
		ctx.lineTo(...bottom[i]);
	});
	for (const [at, from, to] of detached(top.map(([, y], i) => [y, bottom[i][1]]))) {
		if (Math.abs(line[at] - from) < REACHED) continue; /* the line itself shows it */
		ctx.moveTo(top[at][0], from);
		ctx.lineTo(top[at][0], to);
	}
	ctx.stroke();
}

/*
 * Places whose bands are apart from those of both neighbours, as of a bucket that is nothing but a spike, with the y from
 * which to which that is: [place, from, to]. spans: [y, y] of each place. Pure.
 */
export function detached(spans) {
	const ordered = spans.map(([a, b]) => a < b ? [a, b] : [b, a]);
	const gaps = ordered.slice(1).map(([from, to], i) => Math.max(0, from - ordered[i][1], ordered[i][0] - to));
	const found = [];
	for (let at = 1; at < ordered.length - 1; at++) {
		if (Math.min(gaps[at - 1], gaps[at]) <= 3 * Math.max(gaps[at - 2] ?? 0, gaps[at + 1] ?? 0) + 6) continue;
		const [own, before, after] = [ordered[at], ordered[at - 1], ordered[at + 1]];
		const isBelow = own[0] > before[1];
		if (isBelow === own[0] > after[1]) found.push(isBelow ? [at, own[0], Math.min(before[1], after[1])] : [at, own[1], Math.max(before[0], after[0])]);
	}
	return found;
}

/* A line of one px. */
export function paintAlong(ctx, values, pos, colour) {
	let isDown = false;
	ctx.strokeStyle = colour;
	ctx.lineWidth = devicePixelRatio;
	ctx.beginPath();
	values.forEach((value, at) => {
		if (value === undefined) return;
		if (value === null) isDown = false;
		else {
			ctx[isDown ? 'lineTo' : 'moveTo'](pos.x(at), pos.y(value));
			isDown = true;
		}
	});
	ctx.stroke();
}

const FAR = 1e5;

/* Values in px of the canvas. A straight scale is reckoned here: it is asked for each value. */
export function placer(u, name) {
	const held = (px) => Math.max(-FAR, Math.min(FAR, px));
	const { min, max, distr } = u.scales[name];
	if (distr === 4) return (value) => held(u.valToPos(value, name, true));
	const along = distr === 3 ? Math.log10 : (value) => value;
	const start = u.valToPos(min, name, true);
	const slope = (u.valToPos(max, name, true) - start) / (along(max) - along(min));
	return (value) => held(start + (along(value) - along(min)) * slope);
}

/* Places of buckets, and values. */
function positions(u, name) {
	const places = u.data[0].map(placer(u, 'x'));
	return { x: (at) => places[at], y: placer(u, name) };
}

export const scalesOf = (u, ones) =>
	Object.fromEntries([...new Set(ones.map(({ scale }) => scale))].map((name) => [name, positions(u, name)]));

/* ones: as lines.js draws them; bands: id to {low, high}; raw: whose raw line is shown. */
export function paintBelow(u, { ones, bands, raw }) {
	const pos = scalesOf(u, ones);
	inPlot(u, (ctx) => {
		for (const { line, raw: values, scale } of ones) {
			if (raw.has(line.id)) paintAlong(ctx, values, pos[scale], ink(line, 0.2));
		}
		for (const one of ones) if (bands.has(one.line.id)) {
			paintBand(u, ctx, one, bands.get(one.line.id), { pos: pos[one.scale], areMany: bands.size > MANY_BANDS });
		}
	});
}

function cross(ctx, x, y, r) {
	ctx.beginPath();
	ctx.moveTo(x - r, y - r);
	ctx.lineTo(x + r, y + r);
	ctx.moveTo(x + r, y - r);
	ctx.lineTo(x - r, y + r);
	ctx.stroke();
}

function arrow(ctx, x, y, r, up) {
	ctx.beginPath();
	ctx.moveTo(x - r, y + r * up);
	ctx.lineTo(x + r, y + r * up);
	ctx.lineTo(x, y - r * up);
	ctx.fill();
}

const EVENTS = { state: '--text-3', checkpoint: '--finished', evaluation: '--line-strong', info: '--text-3',
	warn: '--crashed', error: '--failed', moment: '--accent' };

/* Returns [px, colour] of events between the first and the last px; of events on the same px, the last one. Pure. */
export function eventLines(events, { toPx, first, last }) {
	const lines = new Map(events.map(({ x, kind }) => [Math.round(toPx(x)), EVENTS[kind] || EVENTS.state]));
	return [...lines].filter(([px]) => px >= first && px <= last);
}

/* Below the lines, which many of them let through. */
export function paintEvents(u, events) {
	if (!events.length) return;
	inPlot(u, (ctx, { left, top, width, height }) => {
		const lines = eventLines(events, { toPx: (x) => u.valToPos(x, 'x', true), first: left, last: left + width });
		ctx.lineWidth = lines.length > CROWDED ? 1 : devicePixelRatio;
		ctx.globalAlpha = lines.length > CROWDED ? FAINT : 1;
		for (const [px, colour] of lines) {
			ctx.strokeStyle = css(colour);
			ctx.beginPath();
			ctx.moveTo(px + 0.5, top);
			ctx.lineTo(px + 0.5, top + height);
			ctx.stroke();
		}
	});
}

function paintCounts(ctx, { line, smooth }, pos, r) {
	ctx.beginPath();
	for (const at of countChanges(line).filter((place) => Number.isFinite(smooth[place]))) {
		ctx.moveTo(pos.x(at), pos.y(smooth[at]) - r);
		ctx.lineTo(pos.x(at), pos.y(smooth[at]) + r);
	}
	ctx.stroke();
}

/*
 * Returns the places with a count whose marks, each so wide, are far enough apart that they do not look like a line;
 * toPx(place) grows. Pure.
 */
export function marked(counts, toPx, wide) {
	const found = [];
	let last = -Infinity;
	for (let at = 0; at < counts.length; at++) { /* of a thousand lines most have none */
		if (!counts[at] || toPx(at) - last < 1.5 * wide) continue;
		last = toPx(at);
		found.push(at);
	}
	return found;
}

export function paintMarks(u, { ones }) {
	const scale = devicePixelRatio;
	const pos = positions(u, 'y');
	const right = u.scales.y2 ? positions(u, 'y2') : pos;
	inPlot(u, (ctx, box) => {
		const size = MARK * scale;
		const [high, low] = [box.top + 5 * scale, box.top + box.height - 5 * scale];
		ctx.lineWidth = 1.5 * scale;
		for (const one of ones) {
			const { line } = one;
			ctx.strokeStyle = ctx.fillStyle = ink(line);
			if (line.isGroup) paintCounts(ctx, one, one.scale === 'y2' ? right : pos, 5 * scale);
			const each = (counts, paint) => marked(counts, pos.x, 2 * size).forEach((at) => paint(pos.x(at)));
			each(line.nan, (x) => cross(ctx, x, low, size));
			each(line.pinf, (x) => arrow(ctx, x, high, size, 1));
			each(line.ninf, (x) => arrow(ctx, x, low, size, -1));
		}
	});
}
