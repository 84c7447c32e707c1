/* The run of a trial. */

import { hrefOf } from '../address.js';
import { el } from '../base/dom.js';
import { text } from '../text/sweeps.js';

const words = text.sweep;

/* A run that is private, and of someone else, has no values either. */
const isHidden = ({ has_run: hasRun, params }) => hasRun && params === null;

export function runHref({ entity, project }, trial) {
	return trial.has_run && !isHidden(trial) ? hrefOf(entity, project, 'runs', trial.run) : null;
}

export function runLink(address, trial) {
	const href = runHref(address, trial);
	if (!href) return el('span', { class: 'muted' }, isHidden(trial) ? words.isPrivate : words.noRun);
	return el('a', { href, title: trial.run }, el('bdi', { class: 'clip' }, trial.display_name || trial.run));
}
