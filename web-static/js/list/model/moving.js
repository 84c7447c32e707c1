import { text } from '../../text.js';
import { stateWord } from '../../ui/state_word.js';

const ENDS = ['finished', 'failed', 'crashed', 'killed'];

/* Why a run cannot be moved, as far as the page knows; or ''. */
export function whyNotMoved(run) {
	if (!ENDS.includes(run.state)) return text.moveRun.notEnded(stateWord(run.state));
	return run.forked_from ? text.moveRun.isFork : '';
}
