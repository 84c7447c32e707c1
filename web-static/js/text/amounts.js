/* Numbers within sentences. */

export function counted(number) {
	return number.toLocaleString('en-US');
}

export function plural(count, one, many) {
	return count === 1 ? `1 ${one}` : `${count.toLocaleString('en-US')} ${many}`;
}

export function minutes(seconds) {
	return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
