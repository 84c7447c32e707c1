/* A file that is a table, from the first byte on: how far it is read, then the table, or why there is none. */

import { el, replace } from '../base/dom.js';
import { bytes as bytesText } from '../base/format.js';
import { text } from '../text/tables.js';
import { faultWords } from '../ui/fault_words.js';
import { loadTable } from './load_table.js';
import { tableView } from './table_view.js';

const words = text.tables;

/*
 * Shows the table of a file. name: for readers of the page; source: {path: of its JSON, below api/v1} or {json}; files: {pathOf(path as
 * cells have it): a path below api/v1 or null, list(folder): a promise of the paths in it}, by which media in cells and parts of joined and
 * partitioned tables are found; onnone(why): the file is no table. Gives {node, stop}.
 */
export function tableFile({ name, source, files, onnone }) {
	const node = el('div', { class: 'file-view table-file' });
	const ends = new AbortController();
	const said = el('p', { class: 'note', role: 'status' }, words.loading(bytesText(0)));
	const sayFault = faultWords(() => start());
	let view = null;
	let frame = 0;

	function told(bytes) {
		cancelAnimationFrame(frame);
		frame = requestAnimationFrame(() => { said.textContent = words.loading(bytesText(bytes)); });
	}

	async function start() {
		replace(node, said);
		const { table, fault, why } = await loadTable(source, { files, signal: ends.signal, onbytes: told });
		cancelAnimationFrame(frame);
		if (ends.signal.aborted) return;
		if (fault) return void replace(node, el('p', { class: 'fault', role: 'alert' }, sayFault(fault)));
		if (why !== undefined) return void noTable(why);
		view = tableView({ name, table, files });
		replace(node, view.node);
	}

	function noTable(why) {
		view = onnone?.(why) ?? null;
		replace(node, el('p', { class: 'note' }, words.notTable(why)), view?.node);
	}

	start();
	return {
		node,
		stop() {
			ends.abort();
			cancelAnimationFrame(frame);
			view?.stop();
		},
	};
}
