/*
 * Which metrics the runs define that a list draws: those of them that stand first, a few at once, in their order; of groups
 * the newest runs that count in them. Read again when others are drawn, and while rows of them come, for programs define
 * more as they go.
 */

import { apiPath } from '../../address.js';
import { ask } from '../../api.js';
import { queryOf } from '../../base/query_text.js';
import { isTransient, reread } from '../../base/reread.js';
import { lazyDefinitions } from './chart_keys.js';

const RUNS = 12;
const AT_ONCE = 3;
const TRIES = 2; /* of a run before the others count without it */
const REST_MS = 10000;
const AT = 'pointer=/_wandb/m';

/* found(definitions), as of key_definitions.js. Gives {draw({runs, groups, scope}), changed(run): it has more rows, or another state, stop}. */
export function runDefinitions({ entity, project }, found) {
	const set = lazyDefinitions(found);
	const configs = new Map(); /* by run */
	const grown = new Set();
	const gone = new Set(); /* there is nothing to read, or no access */
	const askedAt = new Map(); /* in their order */
	const tries = new Map(); /* how often in a row a run could not be read */
	let asked = []; /* those that are read, or were last */
	let wanted = null; /* {ids}, or {filter} of the list's groups */
	let hasMore = false; /* that were never requested */
	let asks = 0;
	const inTurn = (a, b) => (askedAt.get(a) ?? 0) - (askedAt.get(b) ?? 0);

	async function idsOf({ ids, filter }, signal) {
		if (ids) return { ids };
		const query = queryOf({ filter, order: '-created_at', limit: RUNS });
		const { status, body } = await ask('GET', `${apiPath(entity, project)}/runs?${query}`, undefined, { signal });
		return status === 200 ? { ids: body.items.map(({ id }) => id) } : { ids: [], fault: { status } };
	}

	const readConfig = (id, signal) => ask('GET', `${apiPath(entity, project, id)}/config?${AT}`, undefined, { signal });

	/* Reads configs. A run is read once more if it gets rows during the read, or if the read failed for now. */
	async function readDue(due, signal) {
		asked = due;
		due.forEach((id) => grown.delete(id));
		due.forEach((id) => askedAt.set(id, ++asks));
		const answers = await Promise.all(due.map((id) => readConfig(id, signal)));
		if (signal.aborted) due.forEach((id) => grown.add(id));
		else due.forEach((id, at) => took(id, answers[at]));
		return answers;
	}

	function took(id, answer) {
		if (answer.status === 200) configs.set(id, { _wandb: { m: answer.body } });
		else (isTransient(answer) ? grown : gone).add(id);
		tries.set(id, answer.status === 200 ? 0 : (tries.get(id) ?? 0) + 1);
	}

	function forgetOthers(ids) {
		for (const known of [configs, tries, grown, gone, askedAt])
			for (const id of [...known.keys()]) if (!ids.includes(id)) known.delete(id);
	}

	/* Sets definitions only if no failed read is to be tried again: the first run that defines a key wins. */
	async function read(signal) {
		const { ids, fault } = await idsOf(wanted, signal);
		const due = ids.filter((id) => grown.has(id) || !(configs.has(id) || gone.has(id))).sort(inTurn);
		const answers = await readDue(due.slice(0, AT_ONCE), signal);
		if (signal.aborted) return null;
		hasMore = ids.some((id) => !askedAt.has(id));
		if (due.length > AT_ONCE) turns.soon();
		if (ids.length) forgetOthers(ids); /* of none nothing is drawn */
		const isAwaited = (id) => grown.has(id) && !configs.has(id) && tries.get(id) < TRIES;
		if (ids.length && !ids.some(isAwaited)) set(ids.map((id) => configs.get(id)));
		return [fault, ...answers].find(isTransient) ?? null;
	}

	const turns = reread(read, () => hasMore ? 0 : REST_MS);

	return {
		draw({ runs, groups, scope }) {
			const next = groups.length ? { filter: scope.counted } : { ids: runs.slice(0, RUNS).map(({ id }) => id) };
			if (JSON.stringify(next) === JSON.stringify(wanted)) return;
			wanted = next;
			turns.now();
		},
		changed(run) {
			if (!configs.has(run) && !asked.includes(run)) return;
			grown.add(run);
			turns.soon();
		},
		stop: turns.stop,
	};
}
