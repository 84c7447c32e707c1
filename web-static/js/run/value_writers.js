/* Who wrote each value of a run's config and summary, where the run has several writers; read again as the documents change. */

import { ask } from '../api.js';
import { reread } from '../reread.js';

const REST_MS = 1000;

function byPath(items) {
	return new Map(items.map((one) => [one.path.join('\0'), one]));
}

/* Where all is one label's there is nothing to tell. */
function areSeveral(labels, items) {
	return labels.size > 1 || items.some((one) => one.edited);
}

/* {of(document) -> what was written by the value's path, or null, update, stop}; told() when there is more to show. */
export function valueWriters(data, told) {
	const found = { config: null, summary: null };
	const seen = { config: null, summary: null };
	const ended = new AbortController();
	let labels = new Set();

	async function read(name) {
		const answer = await ask('GET', `${data.path}/${name}/writers`, undefined, { signal: ended.signal });
		if (ended.signal.aborted) return null;
		if (answer.status !== 200) return answer;
		const { items } = answer.body;
		found[name] = areSeveral(labels, items) ? byPath(items) : null;
		told();
		return null;
	}

	const turns = Object.fromEntries(Object.keys(found).map((name) => [name, reread(() => read(name), () => REST_MS)]));

	function update() {
		if (data.writers.length < 2) return;
		const now = new Set(data.writers.map(({ label }) => label));
		const areOthers = String([...now]) !== String([...labels]);
		labels = now;
		for (const name of Object.keys(seen)) {
			if (!areOthers && seen[name] === data[name]) continue;
			seen[name] = data[name];
			turns[name].soon();
		}
	}

	update();
	return {
		of: (name) => found[name],
		update,
		stop() {
			ended.abort();
			Object.values(turns).forEach((turn) => turn.stop());
		},
	};
}
