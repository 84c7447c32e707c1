/*
 * The keys of runs that panels are made of: numbers, and histograms, tables and media, which come as several keys of one name; none of
 * those that tell of an image or the like ("sample._type", "sample.height"). Pure.
 */

const isNumber = ({ kinds }) => !kinds || kinds.includes('number') || kinds.includes('nonfinite');
const VALUES = '.values';
const BINS = ['.bins', '.packedBins.min'];
const PARTS = ['.values', '.bins', '.packedBins.min', '.packedBins.size', '.packedBins.count', '._type'];

/* The name of the histogram that a key is a part of, if it ends as one. */
function histogramOfKey(key) {
	const part = PARTS.find((end) => key.endsWith(end));
	return part && key.slice(0, -part.length);
}

const TYPE = '._type';

/* A table has a file; one that joins others, or is made of parts, only the address of one. */
const isTable = (has) => ['.path', '.nrows', '.ncols'].every(has) || (has('.artifact_path') && !has('.path') && !has('.sha256'));

/* A file with its hash, or a list: of images and molecules the names of files, of others what each of them is. */
const isMedia = (has) => has('.sha256') ? has('.path') || has('.artifact_path') : has('.count') && LISTS.some(has);
const LISTS = ['.filenames', '.audio', '.html', '.videos', '.objects'];

/* Whether a key stands below one of these names. */
const isBelow = (names) => (key) => {
	for (let at = key.indexOf('.'); at >= 0; at = key.indexOf('.', at + 1)) if (names.has(key.slice(0, at))) return true;
	return false;
};

/* items: of GET …/keys. {keys: of panels, kinds: {key: kind} of those that are no lines}. */
export function panelKeys(items) {
	const names = new Set(items.map(({ key }) => key));
	const histograms = [...names].filter((key) => key.endsWith(VALUES)).map((key) => key.slice(0, -VALUES.length))
		.filter((name) => BINS.some((end) => names.has(name + end)));
	const ofHistograms = new Set(histograms);
	const typed = [...names].filter((key) => key.endsWith(TYPE)).map((key) => key.slice(0, -TYPE.length));
	const thatAre = (is) => typed.filter((name) => is((end) => names.has(name + end)));
	const tables = thatAre(isTable);
	const isOfMedia = isBelow(new Set(typed.filter((name) => !ofHistograms.has(name))));
	const media = thatAre(isMedia).filter((name) => !tables.includes(name) && !isOfMedia(name)); /* none of its boxes and masks */
	const numbers = items
		.filter(isNumber)
		.map(({ key }) => key)
		.filter((key) => !ofHistograms.has(histogramOfKey(key)) && !isOfMedia(key));
	return {
		keys: [...numbers, ...histograms, ...tables, ...media],
		kinds: Object.fromEntries(Object.entries({ histogram: histograms, table: tables, media })
			.flatMap(([kind, keys]) => keys.map((key) => [key, kind]))),
	};
}
