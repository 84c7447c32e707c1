/* Turns what is typed about a version or a collection into members of REST. Pure. */

const DAY_S = 86400;

/* Lines of a text, each once, without those that are empty. */
export const linesOf = (typed) => [...new Set(typed.split('\n').map((line) => line.trim()).filter(Boolean))];

/* Seconds as days; '' is of null. */
export const daysOf = (seconds) => seconds === null ? '' : String(seconds / DAY_S);

/* Returns null for nothing, and NaN for text that is not a number of days. */
export function secondsOf(typed) {
	const said = typed.trim();
	if (!said) return null;
	return /^\d{1,6}(\.\d+)?$/.test(said) ? Math.round(Number(said) * DAY_S) : NaN;
}

/* Returns the members that differ. */
export function changesOf(before, wanted) {
	return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])));
}

/*
 * {changes, taken} of an edit of `before` if the server has `now`. Tags that others added or removed stay so. taken: members that
 * others have changed as well, to another value.
 */
export function mergedChanges(before, wanted, now) {
	const differs = (name, from) => JSON.stringify(now[name]) !== JSON.stringify(from[name]);
	const changes = changesOf(before, wanted);
	if (changes.tags) {
		const isKept = (tag) => !before.tags.includes(tag) || wanted.tags.includes(tag);
		changes.tags = [...new Set([...now.tags.filter(isKept), ...wanted.tags.filter((tag) => !before.tags.includes(tag))])];
	}
	return { changes, taken: Object.keys(changes).filter((name) => name !== 'tags' && differs(name, before) && differs(name, wanted)) };
}
