/* Which view readers of a project begin with: what comes with it, or a copy of a saved one. */

import { ask } from '../api.js';
import { el, replace } from '../base/dom.js';
import { setDefault } from '../list/model/saved_view.js';
import { text as common } from '../text/common.js';
import { text } from '../text/project_settings.js';
import { form, formField, isDone } from '../ui/form.js';
import { options, settingsCard } from './settings.js';

const words = text.defaultView;
const GIVEN = '';
const DEFAULT = 'default';

function choices(views) {
	const own = setDefault(views);
	const others = views.filter(({ id }) => id !== DEFAULT).map(({ id, name }) => [id, name]);
	return [own && [DEFAULT, words.own(own.name)], [GIVEN, words.given], ...others].filter(Boolean);
}

async function copy(path, id) {
	const view = await ask('GET', `${path}/${encodeURIComponent(id)}`);
	if (!isDone(view)) return view;
	const { name, state } = view.body;
	return ask('PUT', `${path}/${DEFAULT}`, { name, state });
}

/* The views are answered again, so that what is chosen next is chosen among those. */
async function save(path, views, id) {
	if (id === DEFAULT || (id === GIVEN && !setDefault(views))) return { status: 200, body: { items: views } };
	const answer = id === GIVEN ? await ask('DELETE', `${path}/${DEFAULT}`) : await copy(path, id);
	return isDone(answer) ? ask('GET', path) : answer;
}

export function defaultViewCard({ path: project, views: given, isRead }) {
	const path = `${project}/views`;
	const control = el('select', { id: 'default-view' });
	const chosen = formField('view', words.label, control, { hint: words.how });
	let views = given;

	function draw() {
		const [first] = choices(views);
		replace(control, options(choices(views), first[0]));
	}

	draw();
	return settingsCard(words.title, form({
		id: 'view-form', go: common.form.save, isRead, fields: [chosen], body: chosen.node,
		send: () => save(path, views, control.value),
		ondone({ items }) {
			views = items;
			draw();
		},
	}));
}
