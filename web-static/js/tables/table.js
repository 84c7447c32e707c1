/*
 * A table as columns of values, and what a column is: its kind, the order of its values. Both are found when they are needed,
 * and kept. Pure.
 */

const SAMPLE = 1000; /* values by which the kind of a column is told */

/* Returns whether a value is an image, a sound or the like, as the SDK writes them: {_type: 'image-file', path, …}. */
export const isMedia = (value) => value !== null && typeof value === 'object' && typeof value._type === 'string' && value._type.endsWith('-file');

/* 'number', 'text', 'bool', 'media' or 'other'; of a column also 'time'. */
function kindOfValue(value) {
	if (typeof value === 'number') return 'number';
	if (typeof value === 'string') return 'text';
	if (typeof value === 'boolean') return 'bool';
	return isMedia(value) ? 'media' : 'other';
}

/* The most frequent kind among the first values that are not null. */
function kindOfValues(values) {
	const counts = {};
	let seen = 0;
	let first = null;
	for (const value of values) {
		if (value === null) continue;
		const kind = kindOfValue(value);
		first ??= kind;
		counts[kind] = (counts[kind] ?? 0) + 1;
		if (++seen >= SAMPLE) break;
	}
	return Object.keys(counts).reduce((best, kind) => counts[kind] > counts[best] ? kind : best, first ?? 'text');
}

/* The types in what the SDK says of a column, a union opened. */
export function typesOf(type) {
	if (!type) return [];
	const allowed = type.params?.allowed_types;
	return Array.isArray(allowed) ? allowed.flatMap(typesOf) : [type];
}

/* Numbers first, then texts (also of other values), in ascending order. */
const byCode = (a, b) => a < b ? -1 : a > b ? 1 : 0;

/* The text by which values that are neither numbers nor texts are told apart: of media the path. */
export function plainText(value) {
	if (value === null) return '';
	if (typeof value !== 'object') return String(value);
	return typeof value.path === 'string' ? value.path : JSON.stringify(value);
}

export class Column {
	constructor(name, values, type = null) {
		Object.assign(this, { name, values, type });
	}

	get kind() {
		return this.knownKind ??= this.findKind();
	}

	findKind() {
		const kind = kindOfValues(this.values);
		return kind === 'number' && typesOf(this.type).some(({ wb_type: type }) => type === 'timestamp') ? 'time' : kind;
	}

	/* Whether there is a value that is no number. */
	get hasOthers() {
		return this.knownOthers ??= this.values.some((value) => value !== null && typeof value !== 'number');
	}

	get isNumeric() {
		return this.kind === 'number' || this.kind === 'time';
	}

	/*
	 * {of: the rank of each row, numbers: how many ranks are those of numbers, count: of all but the last, which is that of
	 * rows without a value, NaN included}. Equal values have one rank.
	 */
	get ranks() {
		return this.knownRanks ??= this.findRanks();
	}

	findRanks() {
		const { values } = this;
		const found = new Float64Array(values.length);
		let size = 0;
		const texts = new Map();
		for (const value of values) {
			if (typeof value === 'number') {
				if (!Number.isNaN(value)) found[size++] = value;
			} else if (value !== null) {
				texts.set(plainText(value), 0);
			}
		}
		const numbers = unique(found.subarray(0, size).sort());
		[...texts.keys()].sort(byCode).forEach((text, at) => texts.set(text, numbers.length + at));
		const count = numbers.length + texts.size;
		return { of: ranksOf(values, numbers, texts), numbers: numbers.length, count };
	}
}

/* Keeps each of the sorted numbers once, in place. */
function unique(sorted) {
	let size = 0;
	for (let at = 0; at < sorted.length; at++) if (!at || sorted[at] !== sorted[at - 1]) sorted[size++] = sorted[at];
	return sorted.subarray(0, size);
}

function placeOf(numbers, value) {
	let [low, high] = [0, numbers.length - 1];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (numbers[middle] < value) low = middle + 1;
		else high = middle;
	}
	return low;
}

function ranksOf(values, numbers, texts) {
	const none = numbers.length + texts.size;
	const ranks = new Uint32Array(values.length);
	for (let row = 0; row < values.length; row++) {
		const value = values[row];
		if (typeof value === 'number') ranks[row] = Number.isNaN(value) ? none : placeOf(numbers, value);
		else ranks[row] = value === null ? none : texts.get(plainText(value));
	}
	return ranks;
}

/* {columns, rowCount, isCut: only the first rows are here} */
export class Table {
	constructor(columns, rowCount, isCut = false) {
		Object.assign(this, { columns, rowCount, isCut });
	}

	/* The column of a name; in any case of letters if one column is called so. */
	column(name) {
		const exact = this.columns.find((one) => one.name === name);
		if (exact) return exact;
		const lower = name.toLowerCase();
		const alike = this.columns.filter((one) => one.name.toLowerCase() === lower);
		return alike.length === 1 ? alike[0] : null;
	}
}

/* As the reader gives it; a column that has no name is called by its number. */
export function tableOf({ meta, cells, rowCount, isCut }) {
	const names = Array.isArray(meta.columns) ? meta.columns : [];
	const types = meta.column_types?.params?.type_map ?? {};
	const all = Array.from({ length: Math.max(names.length, cells.length) }, (_, at) => {
		const name = names[at] === undefined ? String(at) : String(names[at]);
		return new Column(name, cells[at] ?? new Array(rowCount).fill(null), Object.hasOwn(types, name) ? types[name] : null);
	});
	return new Table(all, rowCount, isCut);
}

/* All rows in the order of the file. */
export const allRows = (table) => Uint32Array.from({ length: table.rowCount }, (_, row) => row);
