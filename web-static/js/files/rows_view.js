/* A table of the wandb SDK. Its viewer is large, and is loaded when the first one is shown. */

import { el, replace } from '../base/dom.js';
import { text as common } from '../text/common.js';
import { text } from '../text/files.js';
import { faultWords } from '../ui/fault_words.js';
import { loaded } from '../ui/later.js';

const words = text.files;

/* instead(): the view of what turns out to be no table. */
export function rowsView({ name, path, runPath, instead }) {
	const node = el('div', { class: 'file-view' }, el('p', { class: 'note' }, words.loading));
	const sayFault = faultWords(() => start());
	let isStopped = false;
	let view = null;

	async function start() {
		const viewer = await loaded(() => import('../tables/table_file.js'));
		if (isStopped) return;
		if (!viewer) return void replace(node, el('p', { class: 'fault', role: 'alert' }, sayFault({ detail: common.later.lost })));
		view = viewer.tableFile({ name, source: { path }, base: runPath, onnone: instead });
		replace(node, view.node);
	}

	start();
	return {
		node,
		stop() {
			isStopped = true;
			view?.stop();
		},
	};
}
