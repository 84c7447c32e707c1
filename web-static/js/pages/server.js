/* How the server does that answers this page: what it is, what it has to do, and what it did by itself. */

import { ask, askStream } from '../api.js';
import { el, replace } from '../base/dom.js';
import { bytes, count, duration } from '../base/format.js';
import { adminTabs, factList, listTable, settingsCard, settingsPage } from '../settings/settings.js';
import { text } from '../text/server.js';

const words = text.server;
const READ_MS = 5000;
const SAMPLE = /^([a-z_]+)(?:\{.*\})? (\S+)$/;

/* Beside the API, and no JSON. */
async function readFigures() {
	const decoder = new TextDecoder();
	let read = '';
	const answer = await askStream('GET', '../../metrics', undefined, { onBytes(part) {
		read += decoder.decode(part, { stream: true });
	} });
	return { ...answer, figures: answer.status === 200 ? figuresOf(read) : null };
}

function facts(version, figures) {
	const number = (name) => count(figures.get(`cairn_${name}`));
	const size = (name) => bytes(figures.get(`cairn_${name}`));
	return factList([
		[words.version, version],
		[words.waiting, words.of(number('http_queue_length'), number('http_queue_limit'))],
		[words.answering, words.by(number('http_requests_in_flight'), number('http_workers'))],
		[words.connections, number('http_connections')],
		[words.memory, words.of(size('memory_bytes'), size('memory_limit_bytes'))],
		[words.stored, size('stored_bytes')],
		[words.compaction, number('compaction_waiting')],
	]);
}

/* Returns facts about the server's storage; read once, because they change slowly. */
function standing({ database, files, kept, replica }) {
	return factList([
		[words.database, words.postgres(database.version, database.embedded)],
		[words.databaseSize, bytes(database.bytes)],
		[words.disk, words.free(bytes(files.free_bytes), bytes(files.disk_bytes), bytes(files.reserve_bytes))],
		[words.full, files.full_in_days !== null && words.fullIn(files.full_in_days, files.rate_days)],
		[words.replica, replica ?? false],
		[words.grace, duration(kept.grace_s)],
		[words.audit, words.days(count(kept.audit_days))],
		[words.auditEntries, words.entries(count(kept.audit_entries))],
	]);
}

function jobs(figures) {
	return listTable(words.jobColumns, words.jobs.map(([name, what]) => el('tr', {},
		el('th', { scope: 'row' }, what), el('td', {}, count(figures.get(`cairn_${name}_total`))))));
}

export async function serverPage() {
	const viewer = await ask('GET', 'viewer');
	if (viewer.status !== 200) return { answer: viewer };
	if (!viewer.body.admin) return { answer: { status: 403, body: { detail: words.onlyAdmins } } };
	const [server, state, first] = await Promise.all([ask('GET', 'server'), ask('GET', 'server/state'), readFigures()]);
	const failed = [server, state, first].find(({ status }) => status !== 200);
	if (failed) return { answer: failed };
	const now = el('div');
	const done = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': words.jobsTitle });

	function draw({ figures }) {
		replace(now, facts(server.body.version, figures));
		replace(done, jobs(figures));
	}

	async function again() {
		if (document.hidden) return;
		const answer = await readFigures();
		if (answer.figures) draw(answer);
	}

	draw(first);
	const timer = setInterval(again, READ_MS);
	return {
		node: settingsPage(adminTabs('server'), el('h1', {}, words.head),
			settingsCard(words.now, now, el('p', { class: 'hint' }, words.how)),
			settingsCard(words.standing, standing(state.body)), settingsCard(words.jobsTitle, done)),
		title: words.head,
		stop: () => clearInterval(timer),
	};
}

/* Figures as a server reports them to Prometheus: the sum of each name's samples. */
export function figuresOf(text) {
	const figures = new Map();
	for (const line of text.split('\n')) {
		const [, name, value] = line.match(SAMPLE) || [];
		if (name) figures.set(name, (figures.get(name) || 0) + Number(value));
	}
	return figures;
}
