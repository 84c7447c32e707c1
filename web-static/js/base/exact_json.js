/*
 * JSON of what people send: whole numbers that a double does not hold, as seeds of 64 bits, stay the text they were sent
 * as, where the browser gives it (other browsers show ≈, see format.js).
 */

function exact(key, value, context) {
	const source = context?.source ?? '';
	return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
}

export function exactJson(text) {
	return /\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}
