/*
 * Parts of the page that are loaded when they are used first. A part that cannot be loaded is reported, and can be requested again;
 * keys pressed while a part comes are for it, and reach what has the focus when it is there.
 */

import { text } from '../text/common.js';
import { toast } from './toast.js';

const words = text.later;
const HOLD_MS = 3000;
const HELD = /^(.|Enter|Arrow.*)$/u;

function give({ key, shiftKey }) {
	const target = document.activeElement || document.body;
	if (key.length === 1 && target.matches('input, textarea')) return document.execCommand('insertText', false, key);
	const press = new KeyboardEvent('keydown', { key, shiftKey, bubbles: true, cancelable: true });
	const isFree = target.dispatchEvent(press);
	return isFree && key === 'Enter' && target.form?.requestSubmit();
}

/* Gives back how to let them go; what takes too long has no more of them. */
function holdKeys() {
	const ends = new AbortController();
	const held = [];
	const tooLong = setTimeout(letGo, HOLD_MS);

	function letGo() {
		clearTimeout(tooLong);
		ends.abort();
		held.splice(0).forEach(give);
	}

	addEventListener('keydown', (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || !HELD.test(event.key)) return;
		held.push(event);
		event.preventDefault();
		event.stopImmediatePropagation();
	}, { capture: true, signal: ends.signal });
	return letGo;
}

/*
 * load: () => import('./part.js'), with its name in full. Gives a function that calls what the module exports by a
 * name, as soon as it is there. Asked twice while it comes, the first counts; of `each(does)` all are done, in their
 * order, and where it cannot be loaded the last can be asked for again. `soon` is for when it may be needed next.
 */
export function later(load) {
	let module = null;
	let loading = null;
	let isComing = false;

	/* If several imports are in flight, they may finish in any order. */
	async function come() {
		const mine = loading ||= load().catch(() => null);
		module ||= await mine;
		if (loading === mine) loading = null;
		return module;
	}

	function askAgain(name, given) {
		return new Promise((resolve) => {
			toast(words.lost, { label: words.again, of: load, onpick: () => resolve(use(name, ...given)) });
		});
	}

	async function use(name, ...given) {
		if (module) return module[name](...given);
		if (isComing) return undefined;
		isComing = true;
		const letGo = holdKeys();
		try {
			return await come() ? module[name](...given) : askAgain(name, given);
		} finally {
			isComing = false;
			letGo();
		}
	}

	async function each(does) {
		const part = module || await come();
		if (part) does(part);
		else toast(words.lost, { label: words.again, of: load, onpick: () => each(does) });
	}

	return Object.assign(use, { soon: come, each });
}

/* As browsers say that a module, or one that it needs, was not fetched: Chromium, Firefox, Safari. */
const NOT_FETCHED = /dynamically imported module|importing a module script failed/i;

/* The module that read() imports; null: it did not come, as where there is no server. One that fails by itself throws. */
export async function loaded(read) {
	try {
		return await read();
	} catch (fault) {
		if (fault instanceof TypeError && NOT_FETCHED.test(fault.message)) return null;
		throw fault;
	}
}
