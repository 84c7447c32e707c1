/* In which order keys are offered: what fits stands first, and of that what is shown already. Pure. */

const RUN_TELLS = ['tags', 'group', 'job_type']; /* what people say of runs to tell them apart */

function byRank(keys, rank) {
	return keys.map((key) => [rank(key), key]).sort(([one], [other]) => one - other).map(([, key]) => key);
}

const isConfig = (key) => key.startsWith('config.');
const isMetric = (key) => /^summary\.[^_]/.test(key);

const TYPE = '._type';
const OF_MEDIA = /\.(sha256|_latest_artifact_path|artifact_path)$/;

/* Whether a key is part of a value with a type of its own, such as an image or a table: "summary.sample._type". */
function isPart(types) {
	return (key) => {
		for (let at = key.lastIndexOf('.'); at > 0; at = key.lastIndexOf('.', at - 1)) if (types.has(key.slice(0, at))) return true;
		return key.startsWith('summary.') && OF_MEDIA.test(key);
	};
}

/* For suggestions: fields of runs, metrics, configs, and last the SDK's own; without the parts of media. */
export function suggested(keys) {
	const types = new Set(keys.filter((key) => key.startsWith('summary.') && key.endsWith(TYPE)).map((key) => key.slice(0, -TYPE.length)));
	const isOfMedia = isPart(types);
	return byRank(keys.filter((key) => !isOfMedia(key)), (key) => isMetric(key) ? 1 : isConfig(key) ? 2 : key.startsWith('summary.') ? 3 : 0);
}

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
