/*
 * A list of the server's, a page at a time, by the place of what is seen: a jump of the scroll bar reads what is there
 * and nothing between. `ask(query)` -> an answer of api.js; `changed()` is called when rows came.
 */

export const PAGE = 200;

/* A list with holes keeps them. */
function without(items, ids) {
	const left = [];
	let gone = 0;
	items.forEach((item, place) => {
		if (ids.has(item.id)) gone++;
		else left[place - gone] = item;
	});
	return left;
}

export function pagedList({ ask, changed, failed }) {
	let items = [];
	let places = new Map();
	let pages = new Set(); /* that were read */
	let total = null;
	let wanted = [];
	let generation = 0;
	let isLoading = false;
	let hasFailed = false;

	function lay(rows) {
		items = rows;
		places = new Map();
		items.forEach(({ id }, place) => places.set(id, place));
	}

	const isWhole = (page) => {
		const [from, past] = [page * PAGE, Math.min((page + 1) * PAGE, total)];
		return items.slice(from, past).filter(Boolean).length === past - from;
	};

	/* What has become longer, or shorter, leaves its last page to be read again. */
	function count(now) {
		if (now === total) return;
		total = now;
		pages = new Set([...pages].filter(isWhole));
	}

	function take(page, { items: rows, count: now }) {
		const next = items.slice();
		rows.forEach((row, at) => {
			next[page * PAGE + at] = row;
		});
		lay(next);
		count(now);
		pages.add(page);
	}

	function pagesIn({ from, to }) {
		const first = Math.floor(from / PAGE);
		const past = Math.ceil(Math.min(to, total) / PAGE);
		return Array.from({ length: Math.max(0, past - first) }, (_, at) => first + at);
	}

	const missing = () => wanted.flatMap(pagesIn).find((page) => !pages.has(page));

	async function loadPage(page, mine) {
		const answer = await ask({ limit: PAGE, offset: page * PAGE, count: 'true' });
		if (mine !== generation) return false;
		hasFailed = answer.status !== 200;
		if (hasFailed) {
			failed(answer);
			return false;
		}
		take(page, answer.body);
		changed();
		return true;
	}

	/* One page at a time, by what is wanted when the one before has come. */
	async function load() {
		const mine = generation;
		if (isLoading) return;
		isLoading = true;
		while (missing() !== undefined && await loadPage(missing(), mine));
		if (mine === generation) isLoading = false;
	}

	return {
		total: () => total,
		at: (place) => items[place],
		/* Of the first so many those that were read. */
		first: (count) => items.slice(0, count).filter(Boolean),
		loaded: () => items.filter(Boolean),
		/* The first place that was not read. */
		firstGap() {
			const gap = Array.from(items).findIndex((item) => !item);
			return gap < 0 ? items.length : gap;
		},
		/* Whether rows that are wanted could not be read. */
		lacks: () => hasFailed && missing() !== undefined,
		/* Infinity: it is not among those that were read. */
		place: (id) => places.get(id) ?? Infinity,
		/* Ranges {from, to} that are about to be seen, the most urgent first. */
		need(...ranges) {
			wanted = ranges;
			if (total !== null) load();
		},
		/*
		 * All anew; what was there stays until the first page has come, which begins() is told. The answer that failed, or
		 * null.
		 */
		async restart(begins = () => {}) {
			const mine = ++generation;
			isLoading = true;
			const answer = await ask({ limit: PAGE, count: 'true' });
			if (mine !== generation) return null;
			isLoading = false;
			if (answer.status !== 200) return answer;
			items = [];
			pages = new Set();
			hasFailed = false;
			begins();
			take(0, answer.body);
			changed();
			return null;
		},
		/* Runs as they are now, in their places. */
		put(fresh) {
			for (const item of fresh) {
				const place = places.get(item.id);
				if (place !== undefined) items[place] = { ...items[place], ...item };
			}
		},
		drop(ids) {
			const before = places.size;
			lay(without(items, ids));
			count(total - (before - places.size));
		},
		stop() {
			generation++;
		},
	};
}
