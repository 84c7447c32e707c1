/* The head of a sweep: its name and state, and what can be done with it. */

import { ask } from '../api.js';
import { el, field } from '../base/dom.js';
import { go } from '../router.js';
import { hrefOf } from '../address.js';
import { text as common } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { button, iconButton, toast } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { isDone } from '../ui/form.js';
import { later } from '../ui/later.js';
import { redrawn } from '../ui/redrawn.js';
import { badge } from './badge.js';
import { hrefOfRuns } from './places.js';

const words = text.sweep;
const dialogs = later(() => import('../ui/form_dialog.js'));
const MAY_PAUSE = ['running'];
const MAY_RESUME = ['paused', 'finished', 'canceled'];
const MAY_STOP = ['pending', 'running', 'paused'];
const MAY_CANCEL = [...MAY_STOP, 'finished'];

/* feed: of sweepFeed; rights: {mayWrite, mayDelete(sweep)}. */
export function sweepHead(address, feed, { mayWrite, mayDelete }) {
	const { path } = feed;
	const nameOf = () => feed.sweep.display_name;

	function done(sweep) {
		toast(words.changed[sweep.state] ?? common.form.saved);
		feed.take(sweep);
	}

	async function set(state) {
		const answer = await ask('PATCH', path, { state });
		if (isDone(answer)) done(answer.body);
		else toast(common.fault.of(answer));
	}

	function ask3(state, head, how, label) {
		dialogs('requestDialog', head, el('p', {}, how), { go: label, look: 'danger', send: () => ask('PATCH', path, { state }), done });
	}

	/* The name and the description of the config are shown unless there are others: only what is changed is sent. */
	function edit() {
		const { display_name: named, description: about } = feed.sweep;
		const name = el('input', { id: 'sweep-name', autocomplete: 'off', maxlength: 512 });
		const area = el('textarea', { id: 'sweep-about', rows: 6, maxlength: 65536 });
		name.value = named;
		area.value = about ?? '';
		const before = area.value; /* with the browser's ends of lines */
		dialogs('requestDialog', words.editHead, [field(words.name, name), field(words.fact.about, area)], {
			go: words.save,
			send() {
				const changes = { ...(name.value !== named && { display_name: name.value || null }), ...(area.value !== before && { description: area.value || null }) };
				return Object.keys(changes).length ? ask('PATCH', path, changes) : { status: 200, body: feed.sweep };
			},
			done: feed.take,
		});
	}

	const stop = () => ask3('finished', words.stopHead(nameOf()), words.stopHow, words.stopGo);
	const cancel = () => ask3('canceled', words.cancelHead(nameOf()), words.cancelHow(feed.sweep.trials.running), words.cancelGo);

	function remove() {
		const name = nameOf();
		dialogs('requestDialog', words.removeHead(name), el('p', {}, words.removeHow), {
			go: words.removeGo, look: 'danger', send: () => ask('DELETE', path),
			done() {
				go(hrefOf(address.entity, address.project, 'sweeps'));
				toast(words.removed(name));
			},
		});
	}

	function controls({ state, ...sweep }) {
		if (!mayWrite) return null;
		return [
			MAY_PAUSE.includes(state) && button(words.pause, { 'data-key': 'pause', onclick: () => set('paused') }),
			MAY_RESUME.includes(state) && button(words.resume, { 'data-key': 'pause', onclick: () => set('running') }),
			MAY_STOP.includes(state) && button(words.stop, { 'data-key': 'stop', onclick: stop }),
			MAY_CANCEL.includes(state) && button(words.cancel, { 'data-key': 'cancel', onclick: cancel }),
			button(words.edit, { 'data-key': 'edit', onclick: edit }),
			mayDelete(sweep) && button(words.remove, { look: 'danger', 'data-key': 'remove', onclick: remove })];
	}

	const title = redrawn(() => [feed.sweep.display_name, feed.sweep.state], () => el('span', { class: 'row' },
		el('h1', {}, el('bdi', {}, nameOf())), badge(feed.sweep.state, 'big')));
	const tools = redrawn(() => [feed.sweep.state, feed.sweep.user], () => el('span', { class: 'row' },
		el('a', { class: 'btn', 'data-key': 'runs', href: hrefOfRuns(address) }, words.runs), controls(feed.sweep)));
	return {
		node: el('header', { class: 'artifact-head' }, el('div', { class: 'page-head' }, el('span', { class: 'row' }, title.node,
			el('span', { class: 'row sweep-id' }, el('code', {}, address.sweep),
				iconButton('copy', words.copyId, { class: 'ibtn small', onclick: () => copy(address.sweep) }))), tools.node)),
		update() {
			title.update();
			tools.update();
		},
	};
}
