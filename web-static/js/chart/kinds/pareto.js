/*
 * Which points no other one beats: it would have to be at least as good along both axes, and better along one. Points
 * that are equal beat each other nowhere, so all of them are there, or none. What is no number has no place, nor has on
 * a logarithm what is not above zero. Pure.
 */

const LOWER = 'lower';

const isPlaced = (value, { isLog }) => Number.isFinite(value) && (!isLog || value > 0);

/* points: [{x, y}]; x, y: {better: 'lower' or 'higher', isLog}. Places in `points`, from the best along x on. */
export function frontOf(points, { x, y }) {
	if (!x.better || !y.better) return [];
	const [across, up] = [x, y].map(({ better }) => better === LOWER ? 1 : -1);
	const ordered = points.map((point, at) => ({ point, at, x: across * point.x, y: up * point.y }))
		.filter(({ point }) => isPlaced(point.x, x) && isPlaced(point.y, y))
		.sort((a, b) => a.x - b.x || a.y - b.y);
	const front = [];
	for (const one of ordered) {
		const last = front.at(-1);
		if (!last || one.y < last.y || (one.x === last.x && one.y === last.y)) front.push(one);
	}
	return front.map(({ at }) => at);
}

/*
 * The line between what the front beats and what it does not: corners [x, y], from 0 to 1 as axes have them, of places
 * in the order of frontOf; it goes on to the ends of the axes that are worse.
 */
export function stairsOf(places, { x, y }) {
	if (!places.length) return [];
	const worst = ({ better }) => better === LOWER ? 1 : 0;
	const steps = places.slice(1).flatMap((place, at) => [[place[0], places[at][1]], place]);
	return [[places[0][0], worst(y)], places[0], ...steps, [worst(x), places.at(-1)[1]]];
}

/* said: {lower, higher}, keys whose better direction was chosen; undefined if it was not. */
export function chosenFor({ lower = [], higher = [] }, key) {
	return lower.includes(key) ? LOWER : higher.includes(key) ? 'higher' : undefined;
}

/* The same with `better` of a key, or with nothing of it. */
export function withChosen({ lower = [], higher = [] }, key, better) {
	const changed = (list, name) => [...list.filter((one) => one !== key), ...(better === name ? [key] : [])];
	return { lower: changed(lower, LOWER), higher: changed(higher, 'higher') };
}
