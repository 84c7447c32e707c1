/* The config of a sweep, and its editor. */

import { ask } from '../api.js';
import { el, replace } from '../base/dom.js';
import { text as common } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { button, card, iconButton, toast } from '../ui/controls.js';
import { copy } from '../ui/copy.js';
import { isDone } from '../ui/form.js';
import { configEditor } from './config_editor.js';
import { yamlOf } from './config_text.js';

const words = text.sweep;

export function configTab(address, feed, { mayWrite }) {
	const body = el('div', { class: 'body' });
	const edit = button(words.edit, { look: 'small', onclick: begin });
	let editor = null;
	let drawn = null;

	function read() {
		if (editor || drawn === feed.sweep.config) return;
		drawn = feed.sweep.config;
		replace(body, el('pre', { class: 'lines', tabindex: 0, 'aria-label': words.config }, yamlOf(drawn)));
	}

	function end() {
		editor.stop();
		editor = drawn = null;
		edit.hidden = false;
		read();
		edit.focus();
	}

	function begin() {
		const fault = el('p', { class: 'fault', role: 'alert' });
		const save = button(words.save, { look: 'primary', type: 'submit' });
		const before = yamlOf(feed.sweep.config);

		async function send(event) {
			event.preventDefault();
			if (editor.value() === before) return end();
			const answer = await ask('PATCH', feed.path, { config: editor.value() });
			if (!isDone(answer)) return replace(fault, common.fault.of(answer));
			end();
			toast(common.form.saved);
			return feed.take(answer.body);
		}

		editor = configEditor(address, before, { id: 'sweep-config', onchecked: (isValid) => {
			save.disabled = !isValid;
		} });
		edit.hidden = true;
		replace(body, el('form', { class: 'sweep-form', onsubmit: send }, el('p', { class: 'soft' }, words.editHow), editor.node, fault,
			el('div', { class: 'row' }, save, button(common.controls.cancel, { onclick: end }))));
		editor.focus();
		editor.check();
	}

	read();
	return {
		node: card(words.config, [mayWrite && edit, iconButton('copy', words.copyConfig, { class: 'ibtn small', onclick: () => copy(yamlOf(feed.sweep.config)) })], body),
		update: read,
		stop: () => editor?.stop(),
	};
}
