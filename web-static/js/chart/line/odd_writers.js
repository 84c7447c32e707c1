/*
 * Finds the writers of NaN and infinities in a bucket of a line. For runs of several writers the server is asked when
 * the cursor rests there: one question for all that the tip shows, in finer buckets, to find the place of the first.
 */

const REST_MS = 150;
const LINES = 10; /* whose writers are asked for */
const FINER = 16; /* buckets within one */
const WRITERS = 4096; /* of all the runs that are asked for */
const COLUMNS = ['x_first', 'x_last', 'nan', 'pinf', 'ninf'];

/*
 * The panel of a question: from the first to the last x of what is in the bucket, which may reach into the next one's share.
 * Pure, as the next one.
 */
export function finerPanel(x, lines, at) {
	const [from, to] = [Math.min(...lines.map((line) => line.x[at])), Math.max(...lines.map((line) => line.xEnd[at]))];
	return { keys: [...new Set(lines.map(({ key }) => key))], x, split: 'writer', columns: COLUMNS, from, to, buckets: FINER };
}

/*
 * series: of the answer. Of a line {who, key, x, xEnd} the labels that wrote any of what is in the bucket, in the order in
 * which they did first, and the places between which the first lies, which are one where it is known: {labels, first:
 * [from, to]}; null where none did.
 */
export function oddWriters(series, { who, key, x, xEnd }, at) {
	const found = [];
	for (const { label, columns, ...of } of series) {
		if (of.run !== who || of.key !== key) continue;
		const i = columns.at.findIndex((_, nth) => columns.nan[nth] + columns.pinf[nth] + columns.ninf[nth] > 0
			&& columns.x_first[nth] <= xEnd[at] && columns.x_last[nth] >= x[at]);
		if (i >= 0) found.push({ label, first: [columns.x_first[i], columns.x_last[i]] });
	}
	if (!found.length) return null;
	found.sort((a, b) => a.first[0] - b.first[0]);
	return { labels: [...new Set(found.map(({ label }) => label))],
		first: [found[0].first[0], Math.min(...found.map(({ first }) => first[1]))] };
}

/* How many there are, as far as that is known; a list may tell of fewer. */
const writersOf = ({ writers, writersListed } = {}) => writers?.() ?? writersListed?.();

/* Returns the lines that several writers may have written; [] if the panel has a line for each writer. */
function sharedLines({ page, spec, look }, lines) {
	if (!page.cache || look.split === 'labels' || spec.formula) return [];
	const writers = new Map();
	return lines.slice(0, LINES).filter(({ who, isGroup, isOfLabels }) => {
		const count = writersOf(page.runs.find(({ id }) => id === who)) ?? 2;
		if ((isGroup && !isOfLabels) || count < 2) return false;
		writers.set(who, count);
		return [...writers.values()].reduce((a, b) => a + b) <= WRITERS;
	});
}

function questionOf(panel, lines, at) {
	const shared = sharedLines(panel, lines);
	return shared.length ? { runs: [...new Set(shared.map(({ who }) => who))], groups: [],
		panel: finerPanel(panel.data.x, shared, at) } : null;
}

/* came(at): it is known who wrote what is in this bucket. Gives {of(lines, at) -> (line) -> as oddWriters says, stop}. */
export function askOddWriters(panel, came) {
	let asked = ''; /* the question */
	let series = [];
	let timer = 0;
	let cancel = null;

	function stop() {
		clearTimeout(timer);
		cancel?.();
		cancel = null;
		asked = '';
	}

	function ask(question, at) {
		cancel = panel.page.cache.want(question, ({ answer }) => {
			if (!answer?.panel) return;
			series = answer.series;
			came(at);
		});
	}

	return {
		of(lines, at) {
			const question = lines.length ? questionOf(panel, lines, at) : null;
			const name = JSON.stringify(question);
			if (name !== asked) {
				stop();
				series = [];
				asked = name;
				if (question) timer = setTimeout(ask, REST_MS, question, at);
			}
			return (line) => oddWriters(series, line, at);
		},
		stop,
	};
}
