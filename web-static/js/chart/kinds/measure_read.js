/* Reads what ranks are compared by where that is no key of rows: of the series that charts are made of. */

import { apiPath } from '../../address.js';
import { gridOf } from '../data/buckets.js';
import { seriesCache } from '../data/series_cache.js';
import { meanCells, rateCells, stepCells, stepsWithin } from './measure_cells.js';
import { measured } from './sheet_statistics.js';

const KEYS = 1000; /* as the server takes them */
const CELLS = 2000000; /* of all series, as the server answers them */
const BUCKETS_LEAST = 16;
const BUCKETS_MOST = 1000;
const LESS_WIDE = 2; /* buckets a column, so that what lies between them is known */

const TIMES = ['_timestamp'];
const ROWS = { keys: TIMES, x: '_timestamp', columns: ['x_first', 'x_last', 'n'] };
const STEPS = { keys: TIMES, x: '_step', columns: ['x_first', 'x_last', 'first', 'last'] };

/* The answer, or null when it cannot be had; what the server says of it is in its `faults`. */
function ask(data, panel) {
	const { entity, project, run } = data.address;
	const cache = seriesCache(apiPath(entity, project));
	const series = panel.keys.length * data.writers.length;
	const most = Math.min(BUCKETS_MOST, Math.floor(CELLS / Math.max(1, series)));
	const buckets = Math.max(BUCKETS_LEAST, Math.min(panel.buckets, most));
	const question = { runs: [run], groups: [], panel: { ...panel, buckets, split: 'writer' } };
	return new Promise((took) => {
		const stop = cache.want(question, ({ answer = null }) => took(answer), { keep: false });
		data.options.signal.addEventListener('abort', () => took(stop() ?? null), { once: true });
	});
}

const within = (span) => span ? { from: span[0], to: span[1] } : {};

const askRows = (data, { wide, span }) => ask(data, { ...ROWS, buckets: LESS_WIDE * wide, ...within(span) });

async function readRows(data, measure, { wide, span }) {
	const answer = await askRows(data, { wide, span });
	return answer && { answer, cells: rateCells(answer.series, { wide, span }) };
}

/* Reads the steps of labels. The steps within `span` are looked up first; the rows show when a label was silent. */
async function readSteps(data, measure, { wide, span }) {
	const [rows, whole] = await Promise.all([askRows(data, { wide, span }),
		ask(data, { ...STEPS, buckets: LESS_WIDE * wide })]);
	if (!rows || rows.faults.length) return rows && { answer: rows };
	const steps = whole && span && stepsWithin(whole.series, span);
	const answer = steps ? await ask(data, { ...STEPS, buckets: LESS_WIDE * wide, ...within(steps) }) : whole;
	return answer && { answer, cells: stepCells(answer.series, { wide, span, rows: rows.series }) };
}

async function readSystem(data, { metric }, { wide, span }) {
	const answer = await ask(data, { keys: metric.keys.slice(0, KEYS).map(({ key }) => key), stream: 'events',
		x: '_timestamp', rate: metric.isRate, columns: ['mean'], buckets: wide, ...within(span) });
	if (!answer?.panel) return answer && { answer };
	return { answer, cells: meanCells(answer.series, { grid: gridOf(answer.panel), times: metric.times }) };
}

const READS = { rows: readRows, step: readSteps, system: readSystem };

/*
 * look: {wide, span}, span: [from, to] in seconds or null. As `ask` answers: {status, body}, a body as of /ranks.
 */
export async function readMeasure(data, measure, look) {
	const got = await READS[measure.kind](data, measure, look);
	if (!got) return { status: 0 };
	const [fault] = got.answer.faults;
	if (fault) return { status: fault.status, body: fault };
	return { status: 200, body: measured(got.cells, measure.side) };
}
