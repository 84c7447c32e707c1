/*
 * Names of lines by a pattern of keys, as `{name} lr={config.lr}`: what runs have under them is asked for once, and "—"
 * stands for what they have not. Of a group its name is told, and what all of its runs have by being of it.
 */

import { number } from '../format.js';
import { FIELDS } from '../runs/columns.js';
import { groupValueName } from '../runs/names.js';
import { text } from '../text.js';
import { runValues } from './run_values.js';

const PART = /\{([^{}]+)\}/g;
const DOCUMENT = /^(config|summary)\.[^,]+$/;
const OWN = ['name', 'id']; /* known of each run */

const isField = (key) => DOCUMENT.test(key) || (FIELDS.includes(key) && !OWN.includes(key));

export const keysIn = (pattern) => [...new Set([...pattern.matchAll(PART)].map(([, key]) => key.trim()))];

function told(value) {
	if (value === undefined || value === null || value === '') return text.none;
	if (typeof value === 'number') return number(value);
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/* valueOf(key): undefined where there is none. Pure. */
export const filled = (pattern, valueOf) => pattern.replace(PART, (_, key) => told(valueOf(key.trim())));

/* What a line is called: what tells it from others of its run stays behind. */
function renamed(line, own) {
	const rest = line.name.startsWith(line.run) ? line.name.slice(line.run.length) : ` ${line.name}`;
	return { ...line, name: own + rest };
}

/* changed(): more is known. Gives (lines, pattern) -> lines. */
export function legendNames(page, changed) {
	let values = {};
	let asked = '';
	let cancel = null;

	function need(keys) {
		const question = { runs: page.runs.map(({ id }) => id), groups: [], fields: keys.filter(isField) };
		const essence = JSON.stringify(question);
		if (essence === asked || !question.fields.length) return;
		asked = essence;
		cancel?.();
		page.values ||= runValues(page.path);
		cancel = page.values.want(question, ({ fault, values: found }) => {
			if (fault) asked = ''; /* what draws next asks again */
			else values = mergedInto(values, found);
			if (!fault) changed();
		});
	}

	function mergedInto(known, found) {
		const both = ([run, own]) => [run, { ...known[run], ...own }];
		return { ...known, ...Object.fromEntries(Object.entries(found).map(both)) };
	}

	function valueOf({ who, run, isGroup, isOfLabels, of }, key) {
		if (key === 'name') return run;
		if (isGroup && !isOfLabels) return of && Object.hasOwn(of.own, key) ? groupValueName(of.own[key]) : undefined;
		return key === 'id' ? who : values[who]?.[key];
	}

	return (lines, pattern) => {
		need(keysIn(pattern));
		return lines.map((line) => renamed(line, filled(pattern, (key) => valueOf(line, key))));
	};
}
