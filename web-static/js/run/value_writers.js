/*
 * Writers of each value of a run's config and summary, if the run has several writers or a person edited one. They are
 * read again as the documents change, and less often if that takes longer.
 */

import { ask } from '../api.js';
import { leaves } from '../base/leaves.js';
import { reread } from '../base/reread.js';
import { MANY, MANY_MS } from './run_data.js';

const REST_MS = 1000;
const PAUSE = 4; /* times as long as an answer took */
const PAST = { isPast: true }; /* of a value that was another when it was asked */

function byPath(items) {
	return new Map(items.map((one) => [one.path.join('\0'), one]));
}

function valuesOf(document) {
	return new Map([...leaves(document)].map(([, , value, path]) => [path, JSON.stringify(value)]));
}

/* Returns the writers for a later document than the one they are of. Values that changed since are marked as PAST. */
export function writersOf(document, asked, writers) {
	if (document === asked) return writers;
	const before = valuesOf(asked);
	const writerOf = (path, value) => (before.get(path) === value ? writers.get(path) : PAST);
	return new Map([...valuesOf(document)].map(([path, value]) => [path, writerOf(path, value)]));
}

/* Writers of one document: {of, hasEdits, soon, stop}; told() is called when there is more to show. */
function documentWriters(data, name, { labelCount, told }) {
	let asked = null;
	let found = null; /* null: all values are of one writer */
	let hasEdits = false;
	let shown = null; /* [document, what there is of it] */

	async function read(signal) {
		const document = data[name];
		const answer = await ask('GET', `${data.path}/${name}/writers`, undefined, { signal });
		if (signal.aborted) return null;
		if (answer.status !== 200) return answer;
		const { items } = answer.body;
		hasEdits = items.some((one) => one.edited);
		found = hasEdits || labelCount() > 1 ? byPath(items) : null;
		asked = document;
		shown = null;
		told();
		return null;
	}

	const turn = reread(read, (took) => Math.max(data.writers.length > MANY ? MANY_MS : REST_MS, PAUSE * took));

	function of() {
		if (!found) return null;
		if (shown?.[0] !== data[name]) shown = [data[name], writersOf(data[name], asked, found)];
		return shown[1];
	}

	return { of, hasEdits: () => hasEdits, soon: turn.soon, stop: turn.stop };
}

/*
 * {of(document's name) -> what was written by the value's path, or null, update, stop}; told() when there is more to
 * show.
 */
export function valueWriters(data, told) {
	const seen = { config: null, summary: null };
	let labels = new Set();
	const options = { labelCount: () => labels.size, told };
	const parts = Object.fromEntries(Object.keys(seen).map((name) => [name, documentWriters(data, name, options)]));

	/* Returns whether to read again: not for rows of a single writer. Edits change both documents, rows the summary. */
	function isDue(name, isEdit) {
		return seen[name] !== data[name] && (isEdit || labels.size > 1 || parts[name].hasEdits());
	}

	function update() {
		const now = new Set(data.writers.map(({ label }) => label));
		const areOthers = String([...now]) !== String([...labels]);
		const isEdit = seen.config !== data.config;
		labels = now;
		for (const name of Object.keys(seen)) {
			if (areOthers || isDue(name, isEdit)) parts[name].soon();
			seen[name] = data[name];
		}
	}

	update();
	return {
		of: (name) => parts[name].of(),
		update,
		stop: () => Object.values(parts).forEach((part) => part.stop()),
	};
}
