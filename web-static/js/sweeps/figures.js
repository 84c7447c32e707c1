/* Figures of a sweep: how far it is, how fast, and its best values. Pure. */

const RECENT = 20; /* trials of which the rate is */
const LEAST = 2;
const HOUR_MS = 3600000;

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/* {done, expected: null if it has no end, share: from 0 to 1}. Without run_cap it ends when all points were tried: then points are counted. */
export function progressOf({ trials, expected, run_cap: cap }) {
	const open = trials.waiting + trials.running;
	const begun = expected === null || expected === cap ? trials.total : trials.points;
	const done = Math.max(0, begun - open);
	return { done, expected, share: expected ? Math.min(1, done / expected) : null };
}

/* Trials that end in an hour, by the last ones: {perHour, of: so many trials}; null: too few have ended. `now` in ms. */
export function rateOf(trials, now) {
	const own = trials.filter(({ source, ended_at: ended, started_at: started }) => source !== 'prior' && ended && started);
	const ends = own.map(({ ended_at: ended }) => Date.parse(ended)).sort((a, b) => b - a);
	const recent = ends.slice(0, RECENT);
	if (recent.length < LEAST) return null;
	const from = ends[RECENT] ?? Math.min(...own.map(({ started_at: started }) => Date.parse(started)));
	return now > from ? { perHour: recent.length * HOUR_MS / (now - from), of: recent.length } : null;
}

/* Seconds until it ends at this rate; null: it has no end, or no rate. */
export function timeLeft({ done, expected }, rate) {
	return expected === null || !rate ? null : Math.max(0, expected - done) / rate.perHour * 3600;
}

/*
 * Trials with a value in the order of `key` (trial, ended_at), each with the best value until then: [{trial, at, value, best, isBest}].
 * Trials that are not finished have values, too: their points are drawn, and they count as the server counts them.
 */
export function bestSoFar(trials, { goal, key = 'trial' }) {
	const isBetter = goal === 'maximize' ? (a, b) => a > b : (a, b) => a < b;
	const place = (trial) => key === 'trial' ? trial.trial : Date.parse(trial[key]);
	const shown = trials.filter(({ value }) => isNumber(value)).map((trial) => ({ trial, at: place(trial), value: trial.value }))
		.filter(({ at }) => isNumber(at)).sort((a, b) => a.at - b.at || a.trial.trial - b.trial.trial);
	let best = null;
	return shown.map((one) => {
		const isBest = best === null || isBetter(one.value, best);
		if (isBest) best = one.value;
		return { ...one, best, isBest };
	});
}

/* The trial with the best value; null: none has one. */
export function bestTrial(trials, goal) {
	return bestSoFar(trials, { goal }).findLast(({ isBest }) => isBest)?.trial ?? null;
}

/* From 0 (worst) to 100 (best) by the rank of each value, for its colour; null without a value. */
export function sharesOf(values, goal) {
	const sorted = [...new Set(values.filter(isNumber))].sort((a, b) => goal === 'maximize' ? a - b : b - a);
	const ranks = new Map(sorted.map((value, at) => [value, sorted.length > 1 ? Math.round(100 * at / (sorted.length - 1)) : 100]));
	return values.map((value) => ranks.get(value) ?? null);
}

/* The values of a trial by the names of parameters, nested ones with dots; a list is one value. */
export function flatParams(params, before = '') {
	return Object.entries(params ?? {}).flatMap(([name, value]) =>
		value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length
			? flatParams(value, `${before}${name}.`) : [[`${before}${name}`, value]]);
}

/* Names of the parameters of trials, in the order of the alphabet. */
export function namesIn(trials) {
	return [...new Set(trials.flatMap(({ params }) => flatParams(params).map(([name]) => name)))].sort();
}

export const isOver = ({ state }) => !['handed_out', 'running'].includes(state);

/* Seconds that a trial ran; null: it has not started. */
export function tookOf({ started_at: started, ended_at: ended }, now) {
	return started ? Math.max(0, ((ended ? Date.parse(ended) : now) - Date.parse(started)) / 1000) : null;
}
