/* Numbers and times as people read them; the exact value is shown on hover. */

const UNITS = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];

export function duration(seconds) {
	const whole = Math.max(0, Math.round(seconds));
	const at = UNITS.findIndex(([size]) => whole >= size);
	if (at < 0) return '0 s';
	const [size, unit] = UNITS[at];
	const first = `${Math.floor(whole / size)} ${unit}`;
	const next = UNITS[at + 1];
	const rest = next ? Math.floor((whole % size) / next[0]) : 0;
	return rest ? `${first} ${rest} ${next[1]}` : first;
}

export function bytes(count) {
	const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
	let at = 0;
	let value = count;
	for (; value >= 1024 && at < names.length - 1; at++) value /= 1024;
	return `${at ? value.toFixed(1) : value} ${names[at]}`;
}

export function count(value) {
	return value.toLocaleString('en-US').replace(/^-/, '−');
}

/* Adds separators to integers, also to numbers that become integers by rounding. */
function byDigits(value, digits) {
	const told = Number.isInteger(value) ? value : Number(value.toPrecision(digits));
	if (!(Math.abs(told) < 1e15)) return scientific(told, digits - 1);
	return Number.isInteger(told) ? count(told) : written(told);
}

function scientific(value, digits = 2) {
	return value.toExponential(digits).replace(/\.?0*e/, 'e').replace('e+', 'e').replaceAll('-', '−');
}

/* As it was written, as numbers of configs are; digits that a double does not hold are not made up. */
export function written(value) {
	const said = String(value);
	if (/^-?\d{16,}$/.test(said) && !Number.isSafeInteger(value)) return `≈${scientific(value, 15)}`;
	return said.replace('e-', 'e−').replace('e+', 'e').replace(/^-/, '−');
}

/* Metrics by four digits; whole numbers as they are. */
export function number(value) {
	return byDigits(value, 4);
}

/* The same number ever shorter: as it is written first of all, then by fewer digits. */
export function shorterForms(value, written = number(value)) {
	return [written, number(value), byDigits(value, 3), ...[3, 2, 1, 0].map((digits) => scientific(value, digits))];
}

const ROUNDING = 1e-9; /* of a mean: a smaller deviation is that of the arithmetic */

/* Whether values differ, by their mean and their standard deviation, which is null if there is none. */
export const isSpread = (mean, std) => typeof std === 'number' && std > Math.abs(mean) * ROUNDING;

/* A mean with its deviation ever shorter, as pairs; by shown(value). Without room, … stands for the latter. */
export function meanForms(mean, std, shown = number) {
	const isPlain = shown === number;
	if (!isSpread(mean, std)) return (isPlain ? shorterForms(mean) : [shown(mean)]).map((form) => [form, '']);
	const spread = (digits) => ` ± ${shown(Number(std.toPrecision(digits)))}`;
	const powers = (digits) => [scientific(mean, digits), ` ± ${scientific(std, 0)}`];
	const both = isPlain ? [[number(mean), spread(1)], [byDigits(mean, 3), spread(1)], [byDigits(mean, 2), spread(1)], powers(2), powers(1)] : [];
	return [[shown(mean), spread(2)], ...both, ...(isPlain ? shorterForms(mean) : [shown(mean)]).map((form) => [form, ' …'])];
}

function tick(value, step, top) {
	if (top < 0.01 || top >= 1e12) return scientific(value);
	if (top >= 1e6) return `${Number((value / 1e6).toPrecision(6))}M`.replace('-', '−');
	if (top >= 1e4) return `${Number((value / 1e3).toPrecision(6))}k`.replace('-', '−');
	let digits = 0;
	while (digits < 6 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) digits++;
	const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
	return value.toLocaleString('en-US', fraction).replace('-', '−');
}

/* Labels of an axis: the same number of digits for all, no more than the step needs; of powers each by itself. */
export function ticks(values) {
	const top = Math.max(...values.map(Math.abs));
	const sizes = values.map(Math.abs).filter((size) => size > 0);
	const isWide = top / Math.min(...sizes) >= 1000;
	const step = values.length > 1 ? Math.abs(values[1] - values[0]) : top;
	return values.map((value) => value === 0
		? '0' : isWide ? tick(value, value, Math.abs(value)) : tick(value, step, top));
}

const AGES = [[86400, 'd'], [3600, 'h'], [60, 'min']];

/* How long ago, no finer than one needs. */
export function age(seconds) {
	const [size, unit] = AGES.find(([least]) => seconds >= least) || [1, 's'];
	return `${Math.max(0, Math.floor(seconds / size))} ${unit}`;
}
