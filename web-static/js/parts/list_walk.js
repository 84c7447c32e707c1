/* Where a run stands among the rows of a list, and which one comes next: for who walks through them from run to run. */

const LOOK_MOST = 2000; /* runs that are read to find where one stands */

/* The baselines, which are on top, come first; groups are stepped over. */
export function listWalk({ model, rows, draw }) {
	let waiting = [];

	const row = (at) => model.row(at - model.base().length);
	const runAt = (at) => at < model.base().length ? model.base()[at] : row(at).run;
	const size = () => model.base().length + model.count();
	const news = () => new Promise((resolve) => waiting.push(resolve));

	function placeOf(id) {
		const onTop = model.base().findIndex((run) => run.id === id);
		if (onTop >= 0) return onTop;
		const at = model.rowOf(id);
		return at < 0 ? -1 : at + model.base().length;
	}

	/* -1: it is not among the first of the list. */
	async function find(id) {
		while (placeOf(id) < 0 && model.seek(LOOK_MOST) && await news());
		model.seek(0);
		return placeOf(id);
	}

	async function readAt(at) {
		if (at >= model.base().length && row(at).kind === 'wait') {
			rows.show(at - model.base().length);
			while (row(at).kind === 'wait' && await news());
		}
		return runAt(at);
	}

	return {
		/* Rows came, or could not be read. */
		tell(isRead) {
			waiting.splice(0).forEach((resolve) => resolve(isRead));
		},
		/* The run that comes after that one, or before; null: there is none. */
		async next(id, by) {
			for (let at = await find(id) + by; at >= 0 && at < size(); at += by) {
				const run = await readAt(at);
				if (run) return run.id;
			}
			return null;
		},
		redraw: () => draw(-1),
		/* It is seen, and where arrows go on from. */
		async show(id) {
			await find(id);
			const at = model.rowOf(id);
			draw(at);
			if (at >= 0) rows.show(at);
		},
	};
}
