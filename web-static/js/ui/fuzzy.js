/*
 * Finds by the letters in their order: "llmpt" finds "llm-pretrain". Whole pieces and beginnings come first. Each of
 * several words is found by itself, in whatever order.
 */

/* Larger is better; -1: not found. */
export function score(typed, label) {
	const wanted = typed.toLowerCase();
	const text = label.toLowerCase();
	const at = text.indexOf(wanted);
	if (at >= 0) return 1000 - at - text.length / 1000 + (at === 0 || /[^a-z0-9]/.test(text[at - 1]) ? 500 : 0);
	let from = 0;
	let gaps = 0;
	for (const letter of wanted) {
		const next = text.indexOf(letter, from);
		if (next < 0) return -1;
		gaps += next - from;
		from = next + 1;
	}
	return Math.max(0, 500 - gaps - text.length / 1000);
}

export const wordsOf = (typed) => typed.trim().split(/\s+/).filter(Boolean);

/* Ranks a match in `also` below a match in the label. */
function scoreOfPart(part, { label, also }) {
	return Math.max(score(part, label), also?.includes(part.toLowerCase()) ? 0 : -1);
}

/* By all of it as it stands or by its words, of which the least well found one counts. */
function scoreOf(typed, item) {
	return Math.max(scoreOfPart(typed, item), Math.min(...wordsOf(typed).map((word) => scoreOfPart(word, item))));
}

/* Sorts exact names first, then names that begin with the text, then the others in their order. */
export function namedFirst(typed, items) {
	const wanted = typed.trim().toLowerCase();
	const rank = ({ label }) => {
		const name = label.toLowerCase();
		return name === wanted ? 0 : name.startsWith(wanted) ? 1 : 2;
	};
	return [...items].sort((a, b) => rank(a) - rank(b));
}

/* The first `limit` of items {label, also?}; without anything typed as they stand. */
export function best(typed, items, limit) {
	if (!typed.trim()) return items.slice(0, limit);
	return items.map((item) => [scoreOf(typed, item), item]).filter(([points]) => points >= 0)
		.sort(([a], [b]) => b - a).slice(0, limit).map(([, item]) => item);
}
