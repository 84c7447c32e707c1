/*
 * Moments and axes of time, in local time, or in UTC if the user chose it. No other module writes times.
 */

const DAY_MS = 86400000;
const MINUTE_MS = 60000;

function two(number) {
	return String(number).padStart(2, '0');
}

function isUtc() {
	return globalThis.document?.documentElement?.dataset.times === 'utc';
}

/* Minutes from the time that is shown to UTC, at that moment. */
export function zoneOf(moment) {
	return isUtc() ? 0 : new Date(moment).getTimezoneOffset();
}

/* A date of which the UTC parts are what is shown. */
export function shownDate(moment) {
	return new Date(new Date(moment).getTime() - zoneOf(moment) * MINUTE_MS);
}

/* Midnight of a day as it is shown; milliseconds. */
export function midnight(year, month, date) {
	return isUtc() ? Date.UTC(year, month, date) : new Date(year, month, date).getTime();
}

export function day(moment) {
	const date = shownDate(moment);
	return `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
}

export function clock(moment, withSeconds = true) {
	const date = shownDate(moment);
	return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}${withSeconds ? `:${two(date.getUTCSeconds())}` : ''}`;
}

/* Adds the zone if the page shows UTC and not the browser's time zone. */
export function localMoment(moment) {
	return wholeMoment(moment) + (isUtc() ? ' UTC' : '');
}

/* As every clock of the page: 24 hours. */
export function localClock(moment) {
	return clock(moment) + (isUtc() ? ' UTC' : '');
}

/* For what is read on hover: with its zone. */
export function zonedMoment(moment) {
	const minutes = -zoneOf(moment);
	const ahead = Math.abs(minutes);
	const zone = minutes && `${minutes < 0 ? '−' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
	return `${wholeMoment(moment)} UTC${zone || ''}`;
}

/* The time of day; with the day where that is not of the last 24 hours. */
export function moment(value, now = Date.now()) {
	return Math.abs(now - new Date(value)) < DAY_MS ? clock(value) : wholeMoment(value);
}

export function wholeMoment(value) {
	return `${day(value)} ${clock(value)}`;
}
