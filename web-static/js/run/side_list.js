/*
 * Whether the list of runs is shown next to the page of a run, which the browser remembers; the list is read when it
 * is opened first. It stays from run to run, so keys that are pressed while the next one comes are for it, and ends
 * when the user leaves the runs of the project. On a narrow screen it takes the place of the run, until one is chosen.
 */

import { addressOf, hrefOf } from '../address.js';
import { el } from '../base/dom.js';
import { onKey } from '../base/keys.js';
import { go, onPage, onQuery, query, queryText } from '../router.js';
import { text } from '../text/run.js';
import { iconButton, toast } from '../ui/controls.js';

const words = text.runPage.sideList;
const STORED = 'cairn-beside';
/* Parameters of the address for how things look, which apply to any run. */
const LOOKS = ['x', 'smooth', 'band', 'log', 'outliers', 'panels', 'by', 'find', 'stream'];
const NOT_HERE = { button: () => null, frame: (page) => page };

let shown = null;

const isNarrow = () => matchMedia('(max-width: 900px)').matches;
const here = () => addressOf(location.pathname);

function wasOpen() {
	try {
		return localStorage.getItem(STORED) === 'open';
	} catch {
		return false;
	}
}

function storeOpen(isOpen) {
	try {
		localStorage.setItem(STORED, isOpen ? 'open' : '');
	} catch { /* storage is switched off: it is closed the next time */ }
}

function hrefHere(id) {
	const { entity, project, tab } = here();
	const looks = [...query()].filter(([name]) => LOOKS.includes(name));
	return hrefOf(entity, project, 'runs', id, ...tab === 'overview' ? [] : [tab]) + queryText(new URLSearchParams(looks));
}

class Beside {
	constructor({ entity, project }, user, workspace) {
		Object.assign(this, { entity, project, user, workspace, root: null, list: null, stopKeys: [], steps: Promise.resolve() });
		this.stops = [onPage(() => this.pageChanged()), onQuery(() => this.queryChanged()), onKey('[', words.fold, () => this.flip())];
		if (wasOpen() && !isNarrow()) this.open();
	}

	isOf({ entity, project }, user) {
		return entity === this.entity && project === this.project && user === this.user;
	}

	/* The page's frame; the list moves there as soon as it is in the document. */
	frame(page) {
		const root = el('div', { class: 'split run-frame' }, page);
		this.list?.then((list) => list?.leave());
		requestAnimationFrame(() => root.isConnected && this.stand(root));
		return root;
	}

	button() {
		return iconButton('rows', words.fold, { 'data-key': 'beside', onclick: () => this.flip() });
	}

	stand(root) {
		this.root = root;
		if (this.isOpen) this.put();
		this.face();
	}

	face() {
		this.root?.classList.toggle('walking', this.isOpen === true);
		this.root?.querySelector('[data-key=beside]')?.setAttribute('aria-expanded', String(this.isOpen === true));
	}

	open() {
		this.isOpen = true;
		this.stopKeys = [['j', words.next, 1], ['k', words.previous, -1]]
			.map(([key, label, by]) => onKey(key, label, () => this.step(by)));
		this.put();
		this.face();
	}

	async load() {
		const { entity, project, user } = this;
		await this.workspace.soon();
		return this.workspace('walkList',
			{ address: { entity, project }, user, here: () => here().run, hrefOf: hrefHere, fold: () => this.flip() });
	}

	async put() {
		if (!this.root) return; /* nothing is read before there is a page */
		this.list ||= this.load();
		const wanted = this.list;
		const list = await wanted;
		if (wanted === this.list && this.root.isConnected) list?.put(this.root);
	}

	close() {
		this.list?.then((list) => list?.stop());
		this.stopKeys.forEach((stop) => stop());
		Object.assign(this, { isOpen: false, list: null, stopKeys: [], steps: Promise.resolve() });
		this.face();
	}

	flip() {
		if (this.isOpen) this.close();
		else this.open();
		if (!isNarrow()) storeOpen(this.isOpen);
	}

	/* One after the other: where the next one begins is where the one before has led. */
	step(by) {
		const wanted = this.list;
		this.steps = this.steps.then(() => this.walk(wanted, by)).catch(reportError);
	}

	/* A list that is not the page's any more leads nowhere. */
	async walk(wanted, by) {
		const list = await wanted;
		const id = wanted === this.list ? await list?.next(by) : null;
		if (!list || wanted !== this.list) return;
		if (id) go(hrefHere(id));
		else toast(id === false ? words.notRead : words.noMore(by));
	}

	async queryChanged() {
		(await this.list)?.mark();
	}

	pageChanged() {
		const address = here();
		if (address.page !== 'run' || !this.isOf(address, this.user)) return this.stop();
		if (isNarrow() && this.isOpen) this.close();
		return this.queryChanged();
	}

	stop() {
		if (this.isOpen) this.close();
		this.stops.forEach((stop) => stop());
		shown = null;
	}
}

/*
 * workspace: later() of the page whose list it is. {button(), frame(page)}: for a page that arrives after the user has left,
 * nothing is begun.
 */
export function sideList(address, user, workspace) {
	const now = here();
	if (now.page !== 'run' || now.entity !== address.entity || now.project !== address.project) return NOT_HERE;
	if (!shown?.isOf(address, user)) {
		shown?.stop();
		shown = new Beside(address, user, workspace);
	}
	return shown;
}
