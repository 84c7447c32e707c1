/* Details that a row of the writers' table opens: facts about the writer, its states, its keys and its last lines. */

import { el, replace } from '../base/dom.js';
import { count } from '../base/format.js';
import { moment } from '../base/moments.js';
import { text } from '../text/writers.js';
import { button, stateBadge } from '../ui/controls.js';
import { later } from '../ui/later.js';
import { table } from './card.js';
import { deviceOf } from './facts.js';
import { lastLinesOf, linesNode } from './last_lines.js';
import { stateTable } from './timeline.js';
import { writerKeys } from './writer_keys.js';
import { writerStates } from './writer_states.js';

const words = text.runWriters;
const act = later(() => import('./actions.js'));

function fact(name, value) {
	return value === null || value === '' ? null : [el('dt', {}, name), el('dd', {}, el('bdi', {}, value))];
}

function facts(writer, config) {
	const of = words.facts;
	return el('dl', { class: 'writer-facts' }, fact(of.client, writer.client), fact(of.parent, writer.parent),
		fact(of.joined, moment(writer.joined_at)), fact(of.data, writer.data_at && moment(writer.data_at)),
		fact(of.heard, moment(writer.heard_at)), fact(of.ended, writer.ended_at && moment(writer.ended_at)),
		fact(of.exit, writer.exit_code), fact(of.attempt, writer.attempt),
		fact(of.session, words.session(count(writer.session), count(writer.batch))),
			fact(of.events, count(writer.event_rows)),
		fact(of.version, writer.client_version), fact(of.device, deviceOf(writer, config)),
		writer.repeats > 0 && fact(of.repeats, words.repeats(count(writer.repeats))),
			writer.gaps > 0 && fact(of.gaps, words.gaps(count(writer.gaps))));
}

function readLines(data, writer) {
	const lines = el('div', {}, el('p', { class: 'muted' }, words.reading));
	lastLinesOf(data, writer.label).then((items) => replace(lines,
		items.length ? linesNode(items, words.lastLines(writer.label)) : el('p', { class: 'muted' }, words.noLines)));
	return lines;
}

/* Lines and keys are read once, when it is opened. */
export function readMore(data, writer) {
	return { lines: readLines(data, writer), keys: writerKeys(data, writer.label) };
}

function states(writer, { limit, run }) {
	const isOfRun = writer.state === 'ended' && !writer.ended_at; /* it never said its end, or sent by hand */
	const known = isOfRun ? { ...writer, ended_at: run.ended_at } : writer;
	const rows = writerStates(known, limit).reverse().map(({ at, state }) => el('tr', {},
		el('td', { class: 'mono soft' }, moment(at)), el('td', {}, stateBadge(words.states[state] || state))));
	return table(words.statesOf(writer.label), words.stateHeads, rows);
}

const part = (name, ...body) => el('div', {}, el('h3', {}, name), body);

/* Button that ends a writer. A user who may write but not end writers sees why it is disabled. */
function endButton(data, writer) {
	const why = !data.mayRule && el('span', { class: 'soft', id: `end-why-${writer.number}` }, words.onlyAdmins(data.run.entity));
	return el('p', { class: 'writer-end' }, button(words.end, { look: 'danger small', 'data-key': `end-${writer.number}`,
		disabled: Boolean(why), 'aria-describedby': why ? why.id : null, onclick: () => act('endWriter', data, writer) }), why);
}

/* read: of readMore. Its changes to the state of the run are below its own states. */
export function writerMore(data, writer, { lines, keys }) {
	const changes = data.states.filter((change) => change.writer === writer.number);
	return el('div', { class: 'writer-more' }, facts(writer, data.config),
		data.mayWrite && writer.shown === 'lost' && endButton(data, writer),
		el('div', { class: 'writer-parts' }, part(words.itsStates, states(writer, data)), part(words.itsKeys, keys)),
		changes.length > 0 && part(words.itsChanges, stateTable(changes)), part(words.itsLines, lines));
}
