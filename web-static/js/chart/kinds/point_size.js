/*
 * How large points are by a number: their areas, not their radii, grow evenly from the least value to the greatest,
 * since areas are what eyes compare. Pure.
 */

export const LEAST = 4; /* radii, in px */
export const GREATEST = 14;
const GREATEST_SMALL = 9;
const SMALL_PX = 260; /* of a plot's height */

const areaOf = (radius) => radius * radius;

export const greatestIn = (height) => height < SMALL_PX ? GREATEST_SMALL : GREATEST;

/* {low, high, greatest, radiusOf(value)}: null where no value is a number; what is none is as small as can be. */
export function sizesOf(values, greatest = GREATEST) {
	const numbers = values.filter(Number.isFinite);
	if (!numbers.length) return null;
	const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
	/* By halves: the greatest and the least number of all lie further apart than a number can say. */
	const shareOf = (value) => low === high ? 0.5 : (value / 2 - low / 2) / (high / 2 - low / 2);
	const grown = areaOf(greatest) - areaOf(LEAST);
	return { low, high, greatest,
		radiusOf: (value) => Number.isFinite(value) ? Math.sqrt(areaOf(LEAST) + shareOf(value) * grown) : LEAST };
}
