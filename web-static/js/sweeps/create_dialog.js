/* Creates a sweep from a config, which is checked while it is typed; then says how to run its trials. */

import { apiPath } from '../address.js';
import { ask } from '../api.js';
import { el } from '../base/dom.js';
import { go } from '../router.js';
import { text as common } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { button, toast } from '../ui/controls.js';
import { dialog } from '../ui/dialog.js';
import { isDone } from '../ui/form.js';
import { formDialog } from '../ui/form_dialog.js';
import { configEditor } from './config_editor.js';
import { agentNodes } from './lines.js';
import { hrefOfSweep } from './places.js';
import { EXAMPLE } from './snippets.js';

const words = text.create;

/* The lines for agents; the page of the sweep is behind them. */
function showAgents(address, sweep) {
	const card = dialog(words.created(sweep.display_name), [agentNodes({ ...address, sweep: sweep.id }, text.sweep.agentsHow)],
		{ actions: button(common.controls.close, { look: 'primary', onclick: () => card.close() }), look: 'wide' });
}

export function createSweep({ entity, project }) {
	const place = { entity, project };
	let isValid = true;
	let made = null;
	const editor = configEditor(place, EXAMPLE, { id: 'new-sweep', onchecked: (now) => {
		isValid = now;
		card.node.querySelector('form').dispatchEvent(new Event('input'));
	} });

	async function onsend() {
		const answer = await ask('POST', `${apiPath(entity, project)}/sweeps`, { config: editor.value() });
		if (!isDone(answer)) return common.fault.of(answer);
		made = answer.body;
		return '';
	}

	function ondone() {
		go(hrefOfSweep({ ...place, sweep: made.id }));
		toast(words.created(made.display_name));
		showAgents(place, made);
	}

	const card = formDialog(words.head, [el('p', { class: 'soft' }, words.how), editor.node], { go: words.go, wide: true, canSend: () => isValid, onsend, ondone });
	card.node.addEventListener('close', editor.stop);
	editor.check();
}
