/* The server's clock: this machine's, set right by what each answer says. Ages are counted by it. */

const JITTER_MS = 1500; /* the header has whole seconds */

let ahead = 0;

/* `date` is the header Date of an answer that was asked for at `asked` and came at `came`. */
export function hear(date, asked, came) {
	const theirs = Date.parse(date);
	if (Number.isNaN(theirs)) return;
	const offset = theirs + 500 - (asked + came) / 2;
	if (Math.abs(offset - ahead) > JITTER_MS) ahead = Math.abs(offset) > JITTER_MS ? offset : 0;
}

/* Milliseconds, as Date.now() at the server. */
export function serverNow() {
	return Date.now() + ahead;
}
