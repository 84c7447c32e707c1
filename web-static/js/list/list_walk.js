/* Finds a run among the rows of a list, and the next one: for users who go from run to run. */

const LOOK_MOST = 2000; /* runs that are read to find where one stands */

/* The baselines, which are on top, come first; groups are stepped over. */
export function listWalk({ model, rows, draw }) {
	let waiting = [];
	let isStopped = false;

	const row = (at) => model.row(at - model.base().length);
	const runAt = (at) => at < model.base().length ? model.base()[at] : row(at).run;
	const size = () => model.base().length + model.count();
	const news = async () => !isStopped && new Promise((resolve) => waiting.push(resolve));

	/* Rows came, or could not be read. */
	function tell(isRead) {
		waiting.splice(0).forEach((resolve) => resolve(isRead));
	}

	function placeOf(id) {
		const onTop = model.base().findIndex((run) => run.id === id);
		if (onTop >= 0) return onTop;
		const at = model.rowOf(id);
		return at < 0 ? -1 : at + model.base().length;
	}

	/* Its place; -1: it is not among the first of the list; null: that could not be read. */
	async function find(id) {
		let isRead = model.total() !== null;
		while (isRead && placeOf(id) < 0 && model.seek(LOOK_MOST)) isRead = await news();
		if (isStopped) return null;
		model.seek(0);
		const place = placeOf(id);
		return place < 0 && !isRead ? null : place;
	}

	const isWaiting = (at) => at >= model.base().length && row(at).kind === 'wait';

	/* Whether it could be read. */
	async function readAt(at) {
		if (isWaiting(at)) rows.show(at - model.base().length);
		while (isWaiting(at)) if (!await news()) return false;
		return true;
	}

	return {
		tell,
		/* The run that comes after that one, or before; null: there is none; false: it could not be read. */
		async next(id, by) {
			const from = await find(id);
			if (from === null) return false;
			for (let at = from + by; at >= 0 && at < size(); at += by) {
				if (!await readAt(at)) return false;
				const run = runAt(at);
				if (run) return run.id;
			}
			return null;
		},
		redraw: () => draw(-1),
		/* It is seen, and where arrows go on from. */
		async show(id) {
			await find(id);
			if (isStopped) return;
			const at = model.rowOf(id);
			draw(at);
			if (at >= 0) rows.show(at);
		},
		/* Ends all waits for rows. */
		stop() {
			isStopped = true;
			tell(false);
		},
	};
}
