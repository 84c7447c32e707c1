/*
 * Parts that what is drawn looks for each time it is drawn, until they have come. One that cannot be loaded is told
 * once, and tried again when somebody asks for it, or some seconds later if it is still looked for.
 */

import { text } from '../text/common.js';
import { toast } from './toast.js';

const words = text.later;
const REST_MS = 5000; /* after a try that failed */

/*
 * load: () => import('./part.js'), with its name in full. `part` is the module, or null; so is `there(then)`, and `then`
 * is called when it has come, of all who looked for it, in their order: once, however often it did. anew(): somebody
 * asks for it, so that it is tried at once, and told.
 */
export function lazyModule(load) {
	const waiting = new Set();
	let module = null;
	let isComing = false;
	let isTold = false;
	let restsUntil = 0;

	async function come() {
		if (isComing || performance.now() < restsUntil) return;
		isComing = true;
		module = await load().catch(() => null);
		isComing = false;
		if (!module) return void failed();
		waiting.forEach((then) => then());
		waiting.clear();
	}

	function failed() {
		restsUntil = performance.now() + REST_MS;
		if (isTold) return;
		isTold = true;
		toast(words.lost, { label: words.again, of: load, onpick: () => {
			anew();
			come();
		} });
	}

	function anew() {
		isTold = false;
		restsUntil = 0;
	}

	function there(then) {
		if (module) return module;
		waiting.add(then);
		come();
		return null;
	}

	return { there, part: () => module, anew };
}
