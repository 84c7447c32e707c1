/* Moments and axes of time, in the time of whoever looks. */

const DAY_MS = 86400000;
const LAST = 0.96; /* behind it a label has no room */
const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000, 31536000];

function two(number) {
	return String(number).padStart(2, '0');
}

export function day(date) {
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function clock(date, withSeconds) {
	return `${two(date.getHours())}:${two(date.getMinutes())}${withSeconds ? `:${two(date.getSeconds())}` : ''}`;
}

/* The time of day; with the day where that is not of the last 24 hours. */
export function moment(value, now = Date.now()) {
	const date = new Date(value);
	return Math.abs(now - date) < DAY_MS ? clock(date, true) : `${day(date)} ${clock(date, true)}`;
}

export function wholeMoment(value) {
	const date = new Date(value);
	return `${day(date)} ${clock(date, true)}`;
}

/* Round times between two moments in milliseconds, at most `count`: [{share, label}]. */
export function clockTicks(from, to, count) {
	const size = STEPS_S.find((step) => (to - from) / 1000 / step <= count) || STEPS_S[STEPS_S.length - 1];
	const zone = new Date(from).getTimezoneOffset() * 60;
	const first = Math.ceil((from / 1000 - zone) / size) * size + zone;
	const ticks = [];
	for (let at = first * 1000; at <= from + (to - from) * LAST; at += size * 1000) {
		const date = new Date(at);
		ticks.push({ share: (at - from) / (to - from), label: size >= 86400 ? day(date) : clock(date, size < 60) });
	}
	return ticks;
}
