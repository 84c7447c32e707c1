/* Which way the values of a project's metrics are better: a key a line, for comparisons of runs. */

import { el } from '../base/dom.js';
import { text as common } from '../text/common.js';
import { text } from '../text/project_settings.js';
import { form, formField, refusal } from '../ui/form.js';
import { settingsCard } from './settings.js';

const words = text.directions;

export function linesOf(directions, better) {
	return directions.filter((one) => one.better === better).map(({ key }) => key).join('\n');
}

/* {directions}, or {twice}: a key that is there twice. */
export function directionsIn(lower, higher) {
	const keysOf = (typed) => typed.split('\n').map((line) => line.trim()).filter(Boolean);
	const directions = [...keysOf(lower).map((key) => ({ key, better: 'lower' })),
		...keysOf(higher).map((key) => ({ key, better: 'higher' }))];
	const twice = directions.find(({ key }, at) => directions.findIndex((one) => one.key === key) < at);
	return twice ? { twice: twice.key } : { directions };
}

/* The list is saved as one: not over what another user saved since it was read. */
async function save(model, directions) {
	const answer = await model.save({ directions }, model.tag);
	return answer.status === 412 ? refusal('directions', words.changed) : answer;
}

/* model: of the page of the project's settings. */
export function directionsCard(model) {
	const area = (better) => el('textarea', { id: `directions-${better}`, rows: 3, spellcheck: 'false', class: 'mono' },
		linesOf(model.project.directions, better));
	const lower = formField('directions', words.lower, area('lower'), { hint: words.how });
	const higher = formField('directions-higher', words.higher, area('higher'));
	const fields = [lower, higher];
	return settingsCard(words.title, el('p', { class: 'hint' }, words.why), form({
		id: 'directions-form', go: common.form.save, isRead: model.isRead, fields, body: fields.map(({ node }) => node),
		send() {
			const { directions, twice } = directionsIn(lower.control.value, higher.control.value);
			return twice ? refusal('directions', words.twice(twice)) : save(model, directions);
		},
	}));
}
