/* Which answers that failed are asked for again unasked: nobody answered, or the server could not. */

export const AGAIN_MS = 5000;

export function isPassing(fault) {
	return Boolean(fault) && (!fault.status || fault.status === 429 || fault.status >= 500);
}
