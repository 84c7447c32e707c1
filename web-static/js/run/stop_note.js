/* Says what to do about a run that still runs although it was asked to stop. */

import { el } from '../base/dom.js';
import { text } from '../text/run_dialogs.js';
import { icon } from '../ui/icons.js';
import { redrawn } from '../ui/redrawn.js';
import { ago } from '../ui/times.js';

const words = text.runStop;
const PROCESSES = 3; /* that are named */

/* Processes that may still run: [host, pid], as far as they are known. */
function processesOf(writers) {
	return writers.filter(({ ended_at: end, pid }) => !end && pid !== null).map(({ host, pid }) => [host, pid]);
}

/* Returns the note. It changes with the processes that are known. */
function draw({ address: { entity, project, run }, run: { stop_requested_at: asked }, writers }) {
	const known = processesOf(writers);
	return el('div', { class: 'note warn stop-note', role: 'status' }, icon('warn'), el('div', {},
		el('p', {}, el('b', {}, words.noEffect(ago(asked))), ' ', words.why),
		el('p', {}, words.kill, known.length
			? known.slice(0, PROCESSES).map(([host, pid], at) => [at > 0 && ', ', el('code', {}, `kill ${pid}`), host && words.on(host)])
			: el('code', {}, 'kill PID'), known.length > PROCESSES && words.more(known.length - PROCESSES), '. ',
		words.finish, el('code', {}, `cairn finish ${entity}/${project}/${run}`), '.')));
}

/* {node, update} */
export function stopNote(data) {
	return redrawn(() => [data.run.stop_requested_at, processesOf(data.writers)], () => draw(data));
}
