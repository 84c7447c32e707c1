/*
 * Names of lines by a pattern of keys, as `{name} lr={config.lr}`: "—" stands for what runs have not. Of a group its
 * name is used, and what all of its runs have by being of it.
 */

import { number, written } from '../../base/format.js';
import { isTransient, reread } from '../../base/reread.js';
import { FIELDS } from '../../list/model/columns.js';
import { groupValueName } from '../../list/model/names.js';
import { text } from '../../text/common.js';
import { runValues } from '../data/run_values.js';

const ROWS_MS = 2000;
const PART = /\{([^{}]+)\}/g;
const DOCUMENT = /^(config|summary)\.[^,]+$/;
const OWN = ['name', 'id']; /* known of each run */

const isField = (key) => DOCUMENT.test(key) || (FIELDS.includes(key) && !OWN.includes(key));

export const keysIn = (pattern) => [...new Set([...pattern.matchAll(PART)].map(([, key]) => key.trim()))];

function valueText(value, key) {
	if (value === undefined) return text.none;
	if (typeof value === 'number') return key.startsWith('config.') ? written(value) : number(value);
	return value === '' || typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/* valueOf(key): undefined where there is none. Pure. */
export const filled = (pattern, valueOf) =>
	pattern.replace(PART, (_, key) => valueText(valueOf(key.trim()), key.trim()));

/* Renames a line for the legend, and keeps the part that distinguishes it from others of its run. */
function renamed(line, own) {
	return { ...line, name: line.rest ? `${own} ${line.rest}` : own };
}

/* Fields of a page's runs: each is asked for once, and again when more rows came. changed(): some are others by now. */
function fieldValues(page, changed) {
	const fields = new Set(); /* that are asked for of these runs */
	const read = new Set(); /* of them */
	let ofRuns = '';
	let values = {};
	let isOld = false;

	const missing = () => [...fields].filter((field) => !read.has(field));
	const turns = reread(readSome, () => missing().length ? 0 : ROWS_MS);

	async function readSome() {
		const some = isOld ? [...fields] : missing();
		const [runs, of, wasOld] = [page.runs.map(({ id }) => id), ofRuns, isOld];
		if (!some.length) return null;
		isOld = false;
		page.values ||= runValues(page.path);
		const { fault, values: found } = await new Promise((done) =>
			page.values.want({ runs, groups: [], fields: some }, done));
		if (fault) isOld ||= wasOld;
		if (!isTransient(fault) && of === ofRuns) some.forEach((field) => read.add(field));
		if (!fault) take(found);
		return isTransient(fault) ? fault : null;
	}

	function take(found) {
		const merged = Object.fromEntries(Object.entries(found).map(([run, own]) => [run, { ...values[run], ...own }]));
		const isOther = Object.entries(merged).some(([run, own]) => JSON.stringify(own) !== JSON.stringify(values[run]));
		values = { ...values, ...merged };
		if (isOther) changed();
	}

	return {
		need(some) {
			const runs = JSON.stringify(page.runs.map(({ id }) => id));
			if (runs !== ofRuns) [fields, read].forEach((set) => set.clear());
			ofRuns = runs;
			if (some.every((field) => fields.has(field))) return;
			some.forEach((field) => fields.add(field));
			turns.next();
		},
		of: (run, field) => values[run]?.[field],
		soon() {
			isOld = true;
			if (fields.size) turns.soon();
		},
		stop: turns.stop,
	};
}

/* changed(): more is known. Gives {named(lines, pattern) -> lines, soon(): values may be others by now, stop()}. */
export function legendNames(page, changed) {
	const values = fieldValues(page, changed);

	function valueOf({ who, run, isGroup, isOfLabels, of }, key) {
		if (key === 'name') return run;
		if (isGroup && !isOfLabels) return of && Object.hasOwn(of.own, key) ? groupValueName(of.own[key]) : undefined;
		return key === 'id' ? who : values.of(who, key);
	}

	return {
		named(lines, pattern) {
			values.need(keysIn(pattern).filter(isField));
			return lines.map((line) => renamed(line, filled(pattern, (key) => valueOf(line, key))));
		},
		soon: values.soon,
		stop: values.stop,
	};
}
