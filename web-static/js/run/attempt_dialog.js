/* Config and summary of an earlier attempt, to be read and to be restored. */

import { ask } from '../api.js';
import { el, replace } from '../base/dom.js';
import { exactJson } from '../base/exact_json.js';
import { count, written } from '../base/format.js';
import { ownLeaves } from '../base/leaves.js';
import { wholeMoment } from '../base/moments.js';
import { text as common } from '../text/common.js';
import { text } from '../text/overview.js';
import { button, toast } from '../ui/controls.js';
import { dialog } from '../ui/dialog.js';
import { requestDialog } from '../ui/form_dialog.js';
import { documentCard } from './documents.js';

const words = text.runAttempts;
const KINDS = ['config', 'summary'];
const PARSE = { config: exactJson }; /* as run_data.js reads them, so that they can be compared */

async function read(data, number) {
	const answers = await Promise.all(KINDS.map((kind) =>
		ask('GET', `${data.path}/${kind}?attempt=${number}`, undefined, { ...data.options, parse: PARSE[kind] })));
	return { fault: answers.find(({ status }) => status !== 200), documents: answers.map(({ body }) => body) };
}

const differing = (data, documents) => KINDS.map((kind, at) => toRestore(data[kind], documents[at]).length);

function askRestore(data, number, documents, ondone) {
	const counts = differing(data, documents);
	requestDialog(words.restoreTitle(number), el('p', {}, words.restoreHow(counts, counts.map(count))), {
		go: words.restore,
		send: () => ask('POST', `${data.path}/attempts/${number}/restore`),
		done(run) {
			ondone();
			data.takeRun(run);
			data.mark(['config', 'summary', 'conflicts']);
			toast(words.restored(number));
		},
	});
}

function whyNot(data, documents) {
	if (!data.mayWrite) return common.onlyRead;
	return differing(data, documents).some(Boolean) ? '' : words.nothing;
}

export async function showAttempt(data, { number, ended_at: endedAt }) {
	const body = el('div', { class: 'pair' }, el('p', { class: 'muted' }, words.reading));
	const restore = button(words.restore, { disabled: true });
	const card = dialog(words.head(number), [el('p', {}, words.ended(endedAt && wholeMoment(endedAt))), body],
		{ look: 'wide', actions: [restore] });
	const { fault, documents } = await read(data, number);
	if (fault) return replace(body, el('p', { class: 'note', role: 'alert' }, common.fault.of(fault)));
	const { config, summary } = text.runOverview;
	replace(body, documentCard(config, documents[0], written).node, documentCard(summary, documents[1]).node);
	const why = whyNot(data, documents);
	restore.disabled = Boolean(why);
	restore.title = why;
	restore.addEventListener('click', () => askRestore(data, number, documents, card.close));
	return card;
}

/* Rows of leaves.js that the document has with another value, or not at all; a null is not restored. */
export function toRestore(document, earlier) {
	const now = new Map(ownLeaves(document).map(([, , value, path]) => [path, JSON.stringify(value)]));
	return ownLeaves(earlier).filter(([, , value, path]) => value !== null && now.get(path) !== JSON.stringify(value));
}
