/* How a run is, at a glance: its clocks, states, writers worth a look, config and summary, facts and notes. */

import { hrefOf } from '../address.js';
import { serverNow } from '../base/clock.js';
import { el } from '../base/dom.js';
import { count, duration, written } from '../base/format.js';
import { moment } from '../base/moments.js';
import { byConcern } from '../base/writer_order.js';
import { alertCard } from '../run/alert_card.js';
import { artifactUses } from '../run/artifact_uses.js';
import { attemptCard } from '../run/attempt_card.js';
import { countedCard } from '../run/card.js';
import { clocks } from '../run/clocks.js';
import { differing } from '../run/differing.js';
import { documentCard } from '../run/documents.js';
import { factsCard } from '../run/facts_card.js';
import { lastLines, lastLinesOf, linesNode } from '../run/last_lines.js';
import { leftOutNote } from '../run/left_out_note.js';
import { noDataNote } from '../run/no_data.js';
import { notesCard } from '../run/notes.js';
import { runSweep } from '../run/run_sweep.js';
import { spans } from '../run/states_scale.js';
import { stateBar, stateTable } from '../run/timeline.js';
import { valueWriters } from '../run/value_writers.js';
import { lostSpan } from '../run/writer_lost.js';
import { countWords, writerTable } from '../run/writer_table.js';
import { text } from '../text/overview.js';
import { icon } from '../ui/icons.js';
import { redrawn } from '../ui/redrawn.js';

const words = text.runOverview;
const CHANGES = 3;
const WORTH_A_LOOK = 6;

function statesCard(data) {
	const now = serverNow();
	return countedCard(words.states, duration(spans(data.states, now).wall), null,
		el('div', { class: 'body' }, stateBar(data.states, now)), stateTable(data.states.slice(-CHANGES)));
}

/* Their last lines are read when they are opened. */
function lostLines(data, label) {
	const node = el('details', { class: 'lost-lines' }, el('summary', {}, words.lastLines(label)));
	node.addEventListener('toggle', async () => {
		if (!node.open || node.childElementCount > 1) return;
		const lines = await lastLinesOf(data, label);
		node.append(lines.length ? linesNode(lines, words.lastLines(label)) : el('p', { class: 'muted' }, words.noLines));
	});
	return node;
}

/* Returns what the lost writers mean for the run; '' if it has ended. */
function outlook(data, lost) {
	const { counts } = data.look();
	if (data.run.ended_at) return '';
	if (!counts.alive && !counts.late) return words.allSilent;
	return words.goesOn(lost.some((one) => one.role === 'primary'));
}

function lostNote(data, lost, linesOf) {
	const { heard, steps } = lostSpan(lost);
	const rest = lost.length - 1;
	return el('div', { class: 'note warn', role: 'status' }, icon('warn'), el('div', { class: 'grow' },
		el('p', {}, el('b', {},
			words.lost(lost.slice(0, 3).map((one) => one.label).join(', '), rest > 2 ? count(lost.length - 3) : '',
			lost.length)),
			words.lostSince(heard.map((time) => moment(time)), (steps ?? []).map((step) => count(step))),
			outlook(data, lost)),
		lost.slice(0, 3).filter((one) => one.console_lines > 0).map((one) => {
			if (!linesOf.has(one.label)) linesOf.set(one.label, lostLines(data, one.label));
			return linesOf.get(one.label);
		})));
}

function writersHref({ entity, project, run }) {
	return hrefOf(entity, project, 'runs', run, 'writers');
}

/* linesOf: the lines of labels that may have been opened; they stay so. */
function writersCard(data, linesOf) {
	const { writers, counts } = data.look();
	const lost = writers.filter((writer) => writer.shown === 'lost');
	return countedCard(words.writers, countWords(counts, writers.length),
		el('a', { class: 'btn small plain', href: writersHref(data.address), 'data-key': 'all-writers' },
			words.allWriters, icon('right')),
		lost.length > 0 && lostNote(data, lost, linesOf),
		writers.length ? writerTable(byConcern(writers).slice(0, WORTH_A_LOOK), { all: writers, rates: data.rates })
			: el('p', { class: 'note' }, words.noWriters),
		writers.length > WORTH_A_LOOK && el('p', { class: 'note' }, words.moreWriters(count(writers.length - WORTH_A_LOOK))));
}

function factsEssence({ run, states, project, sweep, writers, metadata, diffs, config }) {
	const { rows, bytes, heard_at: heard, last_step: step, ...rest } = run;
	return [rest, run.ended_at ? [rows, bytes] : Math.floor(serverNow() / 10000), states.length, project, sweep,
		metadata, diffs, config._wandb, writers.map((writer) => writer.host)];
}

export async function overviewTab(address, { run: data }) {
	const linesOf = new Map();
	const causes = [leftOutNote(data), noDataNote(data), lastLines(data)];
	const progress = [
		clocks(data),
		redrawn(() => [data.states, data.run.ended_at ? 0 : Math.floor(serverNow() / 10000)], () => statesCard(data)),
		redrawn(() => [data.look().writers, [...data.rates]], () => writersCard(data, linesOf)),
	];
	const config = documentCard(words.config, data.config, written);
	const summary = documentCard(words.summary, data.summary);
	const documents = { node: el('div', { class: 'pair' }, config.node, summary.node) };
	const isResult = data.run.ended_at && data.writers.length < 2; /* a run of one process that has ended */
	const writers = valueWriters(data, showDocuments);
	const attempts = redrawn(() => [data.attempts, data.states], () => attemptCard(data));
	const artifacts = artifactUses(data);
	const alerts = redrawn(() => data.alerts, () => alertCard(data));
	const facts = redrawn(() => factsEssence(data), () => factsCard(data));
	const notes = notesCard(data);
	const sweep = runSweep(data, () => facts.update());

	function showDocuments() {
		for (const [name, shown] of Object.entries({ config, summary })) {
			shown.update(data[name], writers.of(name), differing(data.conflicts, name, data[name], writersHref(address)));
		}
	}

	function update() {
		for (const part of [...causes, ...progress, artifacts, attempts, alerts, facts, notes, writers, sweep]) part.update();
		showDocuments();
	}

	return {
		node: el('div', { class: 'scroll', 'data-scroll': 'overview' }, el('div', { class: 'overview' },
			el('div', { class: 'overview-main' },
				[...causes, ...isResult ? [documents, ...progress] : [...progress, documents], artifacts, attempts, alerts].map((part) => part.node)),
			el('div', { class: 'overview-side' }, facts.node, notes.node))),
		update,
		stop: () => [...causes, ...progress, artifacts, writers].forEach((part) => part.stop?.()),
	};
}
