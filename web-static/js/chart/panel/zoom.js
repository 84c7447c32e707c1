/* Which part of an axis is seen, and which moment is picked, as the address has them. */

export function zoomOf(text) {
	const [from, to, more] = (text || '').split('..').map(Number);
	return more === undefined && Number.isFinite(from) && to > from && text.includes('..') ? [from, to] : null;
}

export function zoomText(zoom, x) {
	if (!zoom) return null;
	const [from, to] = x === '_step'
		? [Math.max(0, Math.floor(zoom[0])), Math.ceil(zoom[1])] : zoom.map((at) => Number(at.toPrecision(13)));
	return to > from ? `${from}..${to}` : null;
}

const numberOf = (text) => text && Number.isFinite(Number(text)) ? Number(text) : null;

export const momentOf = (query) => numberOf(query.get('moment'));
