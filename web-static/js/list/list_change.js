/* The change against the baseline in the cells of the list; its module is loaded when it is first shown. */

import { valueOf } from './model/columns.js';

/* metricOf(run, key): as of list_metrics.js; changed(): cells show another. */
export function listChange({ address, model, view, metricOf, changed }) {
	let loading = null;
	let changes = null;
	let isStopped = false;

	/* The first baseline that there is. */
	function base() {
		const found = new Map(model.base().map((run) => [run.id, run]));
		return view().base.map((id) => found.get(id)).find(Boolean) ?? null;
	}

	function valueAt(run, key) {
		const metric = metricOf(run, key);
		return metric ? metric.value : valueOf(run, key);
	}

	async function load() {
		const { changesOf } = await import('./changes.js');
		changes = changesOf(address, changed);
		if (isStopped) changes.stop();
		changed();
	}

	/* Loads the module once; if that fails, the next change tries again. */
	function loaded() {
		loading ||= load().catch(() => { loading = null; });
		return loading;
	}

	const isOn = () => view().change !== 'off' && base() !== null;

	return {
		base, valueAt,
		async update() {
			if (!isOn()) return;
			if (!changes) await loaded();
			if (!isStopped && isOn()) changes?.want(base());
		},
		/* Returns the node next to a value; null: nothing. id: of the run that has it. */
		nodeOf(column, value, id = null) {
			const against = column.isChange && changes ? base() : null;
			if (!against || against.id === id) return null;
			return changes.nodeOf(column.key, value, valueAt(against, column.key), { kind: view().change, base: against });
		},
		stop() {
			isStopped = true;
			changes?.stop();
		},
	};
}
