/*
 * The two orders of lines of several labels: by the writers' own time, and by arrival at the server, whatever their
 * clocks say. Each has a place that the server pages by.
 */

/* Seconds as the server reads them back to the microsecond. */
function seconds(time) {
	return Math.max(0, time).toFixed(6);
}

const ORDERS = {
	time: { name: 'time', placeOf: (line) => line.time, written: seconds, asked: {} },
	arrival: { name: 'arrival', placeOf: (line) => line.arrival, written: String, asked: { arrivals: true } },
};

/* Returns the order that the address names, or else the order of time. */
export function orderNamed(name) {
	return Object.hasOwn(ORDERS, name) ? ORDERS[name] : ORDERS.time;
}

export function inOrder({ placeOf }) {
	return (a, b) => placeOf(a) - placeOf(b) || a.writer - b.writer || a.line - b.line;
}
