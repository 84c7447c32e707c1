/*
 * A list that is read page by page as somebody asks for more, and again while it is seen. Beyond what one answer holds it
 * is not read again: rows that one reads would move.
 */

import { ask } from '../api.js';
import { reread } from '../base/reread.js';

const PAGE = 100;
const MOST = 1000; /* that one answer has */
const AGAIN_MS = 10000;
const REFUSED = [400, 422]; /* asked again it would be refused again */

const withQuery = (path, query) => `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`;

/* path(): of the list, with what selects from it. changed() is called when other items have come. */
export function pagesOf(path, { changed, fault = () => {} }) {
	const ends = new AbortController();
	const list = { items: [], cursor: null };
	const again = reread(read, () => AGAIN_MS);
	let isStopped = false;
	let adding = null; /* the cursor of the page that is being added */

	function take({ items, next_cursor: cursor }) {
		Object.assign(list, { items, cursor });
		changed();
	}

	/* Returns the answer that failed and is to be asked for again; asks for as many as there are. */
	async function read(signal) {
		if (list.items.length > MOST) return null;
		const asked = path();
		const limit = Math.max(PAGE, Math.ceil(list.items.length / PAGE) * PAGE);
		const answer = await ask('GET', withQuery(asked, { limit }), undefined, { signal });
		if (isStopped || signal?.aborted || asked !== path()) return null;
		fault(answer.status === 200 ? null : answer);
		if (answer.status !== 200) return REFUSED.includes(answer.status) ? null : answer;
		take(answer.body);
		again.soon();
		return null;
	}

	/* Asked for twice, the page is added once; it is not added to a list that was read again by then and ends elsewhere. */
	async function more() {
		const [asked, cursor] = [path(), list.cursor];
		if (cursor === adding) return;
		adding = cursor;
		const answer = await ask('GET', withQuery(asked, { limit: PAGE, cursor }), undefined, { signal: ends.signal });
		adding = null;
		if (isStopped || asked !== path() || cursor !== list.cursor) return;
		fault(answer.status === 200 ? null : answer);
		if (answer.status === 200) take({ ...answer.body, items: [...list.items, ...answer.body.items] });
	}

	return {
		list, more,
		again: again.now,
		/* Reads the list anew: something else is selected. */
		restart() {
			list.items = [];
			return again.now();
		},
		stop() {
			isStopped = true;
			ends.abort();
			again.stop();
		},
	};
}
