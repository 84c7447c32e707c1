/*
 * The order of sections and panels that no layout says: results first (loss, then accuracy and the like), training,
 * validation, test, all others by name, and last what only counts or schedules (epoch, step, lr, "_runtime"). Pure.
 */

import { byName } from './sections.js';

export const PROGRESS = '$'; /* the section of epoch, step, lr and the like that have no prefix */

const LOSS = /(?:^|[^a-zA-Z])[lL]oss|[a-z]Loss|(?:^|_)(?:nll|ppl|perplexity)$/;
const RESULT = /(?:^|[^a-z])(?:acc(?:uracy)?|top_?[15]|f1|auc|auroc|m?iou|map|bleu|rouge|wer|cer|psnr|ssim|r2|r?mse|mae|precision|recall|score|reward)(?![a-z])/i;
const COUNTS = /^_|^(?:[a-z]+[_-])?(?:epochs?|steps?|iter(?:ation)?s?)$|(?:^|[._-])(?:lr|learning_?rate)(?:[._-]?\w*)$|^(?:runtime|timestamp|walltime)$/i;
const COUNTS_SECTION = /^(?:lr|learning_?rates?)(?![a-z])/i;
const RESULTS_SECTION = /^(?:loss(?:es)?|acc(?:uracy)?|metrics?|scores?|results?)$/i;
const STAGES = [/^train(?:ing)?(?![a-z])/i, /^(?:val(?:id(?:ation)?)?|evaluation|eval|dev)(?![a-z])/i, /^test(?:ing)?(?![a-z])/i];

const lastPart = (key) => key.slice(key.lastIndexOf('/') + 1);

/* Returns whether a key counts or schedules the training rather than measures it. */
export const isProgress = (key) => !LOSS.test(lastPart(key))
	&& (COUNTS.test(lastPart(key)) || (key.includes('/') && COUNTS_SECTION.test(key)));

/* The section of a key is its first prefix. */
export function sectionOf(key) {
	if (key.includes('/')) return key.slice(0, key.indexOf('/'));
	return isProgress(key) ? PROGRESS : '';
}

function keyRank(key) {
	if (key.startsWith('_')) return 5;
	if (isProgress(key)) return 4;
	const name = lastPart(key);
	if (name === 'loss') return 0;
	return LOSS.test(name) ? 1 : RESULT.test(name) ? 2 : 3;
}

export const byRank = (a, b) => keyRank(a) - keyRank(b) || byName(a, b);

/* keys: of the panels in it. */
function sectionRank({ name, keys }) {
	if (name === PROGRESS) return 9;
	if (keys.length && keys.every(isProgress)) return 8;
	const hasResult = keys.some((key) => keyRank(key) < 3);
	if (name === '') return hasResult ? 0 : 5;
	if (RESULTS_SECTION.test(name)) return 1;
	const stage = STAGES.findIndex((pattern) => pattern.test(name));
	return stage >= 0 ? 2 + stage : hasResult ? 6 : 7;
}

/* sections: [{name, keys}]. Returns their names in order. */
export function inRank(sections) {
	const ranks = new Map(sections.map((section) => [section.name, sectionRank(section)]));
	return [...ranks.keys()].sort((a, b) => ranks.get(a) - ranks.get(b) || byName(a, b));
}

/* Whether a section is closed until it is opened by hand: it only counts or schedules. */
export const isClosedByItself = ({ name, keys }) => name === PROGRESS || (keys.length > 0 && keys.every(isProgress));
