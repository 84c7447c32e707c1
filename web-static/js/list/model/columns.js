/* Columns of the list: what a key is called, what a run has there, and how wide it is. */

import { count, duration, number, shorterForms, written } from '../../base/format.js';
import { localMoment } from '../../base/moments.js';
import { text } from '../../text/common.js';
import { AT, metricOf } from './metric_column.js';
import { columnNames, listText } from './names.js';

export const FIELDS = ['name', 'id', 'state', 'user', 'group', 'job_type', 'tags', 'notes', 'sweep', 'host', 'writers', 'writers_lost',
	'rows', 'duration',
	'created_at', 'ended_at'];
const TABLE = ['state', 'user', 'group', 'job_type', 'rows', 'duration'];
const WIDTHS = { state: 92, user: 96, group: 120, job_type: 96, rows: 80, duration: 88, tags: 140, notes: 200,
	host: 120, created_at: 132, ended_at: 132 };
const METRIC = 74;
const ROOMY = 104; /* of a number in the full table */
const MEAN = 117; /* with its deviation */
const CHANGE = 60;

/* fit: what the other columns leave of the usual width. */
export function columnWidth({ key, width, fit, isMean, isChange, isRoomy }) {
	return width || fit || Math.max(WIDTHS[key] || (isRoomy ? ROOMY : METRIC), isMean ? MEAN : 0) + (isChange ? CHANGE : 0);
}

function metric(key) {
	return { key, pinned: false, width: null };
}

/* Keys that users look at first, if runs have them. */
const WANTED = [
	{ start: 'summary.',
		forms: [/\b(eval|val|valid|validation|test)\b.*loss/i, /loss/i, /acc|score|reward/i,
		/^(?!summary\.(epoch|step|lr)$)/] },
	{ start: 'config.', forms: [/\b(lr|learning_rate)$/i] },
];

/* Returns the columns if the view has none: the facts of a table, and of each kind the number that most runs have. */
export function defaultColumns(isTable, known) {
	const isOwn = (key) => !/^(summary|config)\._/.test(key) && known.isNumber(key);
	const firsts = WANTED.map(({ start, forms }) => {
		const keys = known.keys().filter((key) => key.startsWith(start) && isOwn(key));
		return forms.map((form) => keys.find((key) => form.test(key))).find(Boolean) ?? keys[0];
	});
	return [...(isTable ? TABLE : []), ...firsts.filter(Boolean)].map(metric);
}

/*
 * isNumber: at the right; isMean: a group has the mean there, with its deviation; isChange: the cell also shows the change
 * against the baseline; name: the whole key if two columns would have the same name.
 */
export function withKinds(columns, known, { isGrouped, isChanged, isTable = false }) {
	const names = columnNames(columns.map(({ key }) => key));
	return columns.map((column) => {
		const metric = metricOf(column.key);
		const isNumber = metric !== null || known.isNumber(column.key);
		return { ...column, name: names.get(column.key), isNumber, isRoomy: isTable && isNumber,
			isMean: isNumber && isGrouped && metric?.how !== AT,
			isChange: isNumber && isChanged };
	});
}

/* Places the pinned columns first, each with the width of those before it. */
export function pinnedFirst(columns) {
	let at = 0;
	const placed = (column) => {
		const one = { ...column, at };
		at += columnWidth(column);
		return one;
	};
	return [...columns.filter(({ pinned }) => pinned).map(placed), ...columns.filter(({ pinned }) => !pinned)];
}

const OWN = ['rows', 'state']; /* columns that live events tell as members of the run */

export function valueOf(run, key) {
	return (OWN.includes(key) ? run[key] : run.by[key]) ?? null;
}

function moment(value) {
	return localMoment(value);
}

/* As it is shown, and whole. */
export function cellText(key, value) {
	if (value === null || value === undefined || value === '') return text.none;
	if (key === 'duration') return duration(Number(value));
	if (key.endsWith('_at')) return moment(value);
	if (key === 'tags') return listText(value);
	if (typeof value !== 'number') return String(value);
	return key.startsWith('config.') ? written(value) : number(value);
}

/* From the fullest on: of numbers there are shorter ones. */
export function cellForms(key, value) {
	const text = cellText(key, value);
	return typeof value === 'number' && key !== 'duration' ? shorterForms(value, text) : [text];
}

export function wholeText(value) {
	if (Array.isArray(value)) return listText(value);
	return typeof value === 'number' && Number.isInteger(value) ? count(value) : String(value ?? '');
}
