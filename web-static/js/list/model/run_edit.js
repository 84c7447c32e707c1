/*
 * Edits of a run that lose no change of other users: a text is replaced only if it is what its editor saw, tags are
 * changed one by one.
 */

import { ask } from '../../api.js';

const TRIES = 5; /* of a run that others change all the time, be it elsewhere in it */

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/* Returns the wanted names that another user changed since `before`, to another value than the wanted one. */
function meanwhile(before, wanted, now) {
	return Object.keys(wanted).filter((name) => !same(now[name], before[name]) && !same(now[name], wanted[name]));
}

/*
 * {answer}; or {theirs, names}: the run as it is, and the names of what another user changed since it was `before`, of
 * which nothing is saved. `more` is changed with it, unasked.
 */
export async function editRun(path, wanted, before, more = {}) {
	for (let tries = 1; ; tries++) {
		const now = await ask('GET', path);
		if (now.status !== 200) return { answer: now };
		const names = meanwhile(before, wanted, now.body);
		if (names.length) return { theirs: now.body, names };
		const answer = await ask('PATCH', path, { ...wanted, ...more }, { match: now.etag });
		if (answer.status !== 412 || tries === TRIES) return { answer };
	}
}

/* One to a line: a tag may have commas. */
export function tagsOf(words) {
	return [...new Set(words.split('\n').map((word) => word.trim()).filter(Boolean))];
}

/*
 * Returns the change from the tags that a user saw to the wanted ones. Tags that others add in the meantime stay. If the
 * order changes, all are replaced.
 */
export function tagChanges(before, wanted) {
	const kept = before.filter((tag) => wanted.includes(tag));
	const more = wanted.filter((tag) => !before.includes(tag));
	if (!same([...kept, ...more], wanted)) return { remove_tags: before, add_tags: wanted };
	return { remove_tags: before.filter((tag) => !wanted.includes(tag)), add_tags: more };
}
