/* The title and the traces of a plot of Plotly, from its JSON. Pure. */

const isPlain = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const textOf = (value) => typeof value === 'string' ? value.replace(/<br *\/?>/gi, ' ').replace(/<[^>]*>/g, '') : '';

/* Values are a list, or since Plotly 6 bytes: {dtype: 'f8', bdata: in base64}. */
const BYTES = { i1: 1, u1: 1, i2: 2, u2: 2, i4: 4, u4: 4, f4: 4, f8: 8 };

function lengthOf(values) {
	if (Array.isArray(values)) return values.length;
	if (!isPlain(values) || typeof values.bdata !== 'string' || !Object.hasOwn(BYTES, values.dtype)) return null;
	return Math.floor(values.bdata.replace(/=+$/, '').length * 3 / 4 / BYTES[values.dtype]);
}

function traceOf(trace) {
	const points = ['x', 'y', 'values', 'z', 'labels', 'lat'].map((name) => lengthOf(trace[name])).find((length) => length !== null) ?? null;
	return { kind: textOf(trace.type) || 'scatter', name: textOf(trace.name), points };
}

/* {title, traces: [{kind, name, points}]}; null for what is no plot. */
export function plotOf(json) {
	if (!isPlain(json) || !Array.isArray(json.data)) return null;
	const title = isPlain(json.layout) ? json.layout.title : '';
	return { title: textOf(isPlain(title) ? title.text : title), traces: json.data.filter(isPlain).map(traceOf) };
}
