/*
 * Runs coloured by the number that each has under a key: one hue, the further from the background the greater. The
 * range is that of what is drawn; a run beyond it has the colour of that end, one without a number is grey. Pure.
 */

const FAR = 100; /* times as great: from then on by powers */

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/* runs: those that are drawn, with `by`. {key, low, high, isLog, without: how many have no number, of(run)}. */
export function tintOf(key, runs) {
	const values = runs.map(({ by }) => by?.[key]).filter(isNumber);
	const [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [null, null];
	const isLog = low > 0 && high >= FAR * low;
	const place = isLog ? Math.log : (value) => value;

	function of({ by }) {
		const value = by?.[key];
		if (!isNumber(value) || low === null) return 'tint-none';
		if (low === high) return 'tint-50';
		const held = Math.max(low, Math.min(high, value));
		return `tint-${Math.round(100 * (place(held) - place(low)) / (place(high) - place(low)))}`;
	}

	return { key, low, high, isLog, without: runs.length - values.length, of };
}
