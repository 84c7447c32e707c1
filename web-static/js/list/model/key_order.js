/* In which order keys are offered: what fits stands first, and of that what is shown already. Pure. */

const RUN_TELLS = ['tags', 'group', 'job_type']; /* what people say of runs to tell them apart */

function byRank(keys, rank) {
	return keys.map((key) => [rank(key), key]).sort(([one], [other]) => one - other).map(([, key]) => key);
}

const isConfig = (key) => key.startsWith('config.');
const isMetric = (key) => /^summary\.[^_]/.test(key);

/* For axes and all that is reckoned with. shown: keys of columns and panels, in their order. */
export function numbersFirst(keys, isNumber, shown = []) {
	const fits = (key) => isNumber(key) && (isMetric(key) || isConfig(key));
	const known = new Set(keys);
	const first = new Set(shown.filter((key) => known.has(key) && fits(key)));
	const rest = byRank(keys.filter((key) => !first.has(key)),
		(key) => fits(key) ? isConfig(key) : isNumber(key) ? 2 : isConfig(key) ? 3 : 4);
	return [...first, ...rest];
}

/* For what tells runs apart: groups, boxes, names of lines. */
export function categoriesFirst(keys, isNumber) {
	return byRank(keys, (key) => isConfig(key) ? isNumber(key) : RUN_TELLS.includes(key) ? 2 : isMetric(key) ? 4 : 3);
}
