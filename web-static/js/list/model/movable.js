/* Whether a run can be moved to another project, as far as the page knows. */

import { stateWord, text } from '../../text/common.js';

const ENDS = ['finished', 'failed', 'crashed', 'killed'];

/* Returns why a run cannot be moved, or ''. */
export function whyNotMoved(run) {
	if (!ENDS.includes(run.state)) return text.runMenu.notEnded(stateWord(run.state));
	return run.forked_from ? text.runMenu.isFork : '';
}
