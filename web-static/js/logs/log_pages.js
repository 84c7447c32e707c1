/*
 * Pages of lines, asked for from either edge of what is shown. By place: all labels together, in one of the orders of
 * log_order.js. By number: one writer in its own order. The end has as many lines as are asked for.
 */

import { ask } from '../api.js';
import { inOrder } from './log_order.js';

export const PAGE = 200;

/* scope: {path, writers, stream, order} of what is shown. */
function reader(scope, signal) {
	const who = new URLSearchParams({ ...(scope.writers && { writers: scope.writers }),
		...(scope.stream && { stream: scope.stream }), ...scope.order.asked });
	return async (query) => {
		const params = new URLSearchParams([...who, ...Object.entries(query)]);
		const answer = await ask('GET', `${scope.path}/console?${params}`, undefined, { signal });
		if (answer.status !== 200) throw answer;
		return answer.body;
	};
}

export function byPlace(scope, signal) {
	const read = reader(scope, signal);
	const { name, placeOf, written } = scope.order;
	const compare = inOrder(scope.order);

	/* Lines of the edge's own place come again; where a page has none but those, its cursor goes on. */
	async function beyond(query, isBeyond, limit) {
		for (let cursor = null; ;) {
			const page = await read({ ...query, limit, ...(cursor && { cursor }) });
			const items = page.items.filter(isBeyond);
			if (items.length || !page.next_cursor) return { items, isEnd: !page.next_cursor };
			cursor = page.next_cursor;
		}
	}

	async function before(edge, limit = PAGE) {
		const page = await beyond({ order: `-${name}`, ...(edge && { [`${name}_to`]: written(placeOf(edge)) }) },
			(line) => !edge || compare(line, edge) < 0, limit);
		return { ...page, items: page.items.reverse() };
	}

	function after(edge, limit = PAGE) {
		return beyond({ order: name, [`${name}_from`]: written(placeOf(edge)) },
			(line) => compare(line, edge) > 0, limit);
	}

	/* The lines around a place, or around a line of it: between that and the one before it, which may be of the same place. */
	async function around({ writer = -1, line = -1, ...place }) {
		const edge = { ...place, writer, line: line - 0.5 };
		const [older, newer] = await Promise.all([before(edge), after(edge)]);
		return { items: [...older.items, ...newer.items], isStart: older.isEnd, isEnd: newer.isEnd };
	}

	async function end(most) {
		const page = await before(null, most);
		return { items: page.items, isStart: page.isEnd, isEnd: true };
	}

	return { before, after, around, end };
}

export function byNumber(scope, signal) {
	const read = reader(scope, signal);

	/* Numbers may have gaps, so the way back grows until it finds something. */
	async function before(edge, limit = PAGE) {
		for (let back = limit; ; back *= 8) {
			const from = Math.max(0, edge.line - back);
			const items = [];
			for (let cursor = null; cursor !== undefined;) {
				const page = await read({ from, limit: 1000, ...(cursor && { cursor }) });
				const older = page.items.filter((one) => one.line < edge.line);
				items.push(...older);
				cursor = older.length === page.items.length && page.next_cursor || undefined;
			}
			if (items.length || !from) return { items: items.slice(-limit), isEnd: !from && items.length <= limit };
		}
	}

	async function after(edge, limit = PAGE) {
		const page = await read({ from: edge.line + 1, limit });
		return { items: page.items, isEnd: !page.next_cursor };
	}

	async function around({ line }) {
		const [older, newer] = await Promise.all([before({ line }), after({ line: line - 1 })]);
		return { items: [...older.items, ...newer.items], isStart: older.isEnd, isEnd: newer.isEnd };
	}

	async function end(most = PAGE) {
		const page = await read({ tail: most });
		return { items: page.items, isStart: page.items.length < most, isEnd: true };
	}

	return { before, after, around, end };
}

/* Returns the pages of a list of hits that is already in memory. */
export function ofList(lines) {
	const at = (edge) => lines.findIndex((line) => line === edge);
	const slice = (from, to) => lines.slice(Math.max(0, from), to);
	return {
		before: async (edge) => ({ items: slice(at(edge) - PAGE, at(edge)), isEnd: at(edge) <= PAGE }),
		after: async (edge) => ({ items: slice(at(edge) + 1, at(edge) + 1 + PAGE),
			isEnd: at(edge) + 1 + PAGE >= lines.length }),
		around: async ({ line }) => {
			const place = Math.max(0, lines.findIndex((one) => one.line === line));
			return { items: slice(place - PAGE, place + PAGE), isStart: place <= PAGE, isEnd: place + PAGE >= lines.length };
		},
		end: async () => ({ items: slice(lines.length - PAGE), isStart: lines.length <= PAGE, isEnd: true }),
	};
}
