/* Words between charts: markdown without raw HTML. */

import { el, replace } from '../../base/dom.js';
import { text } from '../../text/panels.js';
import { markdownNodes } from '../../ui/markdown_nodes.js';
import { ValuePanel } from './value_panel.js';

const words = text.panels;

export class TextPanel extends ValuePanel {
	constructor(...given) {
		super(...given);
		this.plotNode.classList.add('notes', 'words');
		this.plotNode.dir = 'auto';
		this.data = {};
	}

	ask() {
		this.changed();
	}

	rowsCame() {}

	fill(node) {
		const { text: source = '' } = this.spec;
		replace(node, source.trim() ? markdownNodes(source) : el('p', { class: 'muted' }, words.noText));
	}

	noteText() {
		return null;
	}

	summary() {
		return '';
	}
}
