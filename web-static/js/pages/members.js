/* The settings of a user or team: the members of a team, what is stored, and what was deleted. */

import { ask, askAll } from '../api.js';
import { el } from '../base/dom.js';
import { deletedProjects } from '../settings/deleted_projects.js';
import { memberCard } from '../settings/member_card.js';
import { quotaCard } from '../settings/quota_card.js';
import { settingsPage } from '../settings/settings.js';
import { text } from '../text/settings.js';

const words = text.members;

export async function membersPage({ entity }, { user }) {
	const path = `entities/${encodeURIComponent(entity)}`;
	const answers = await Promise.all([ask('GET', path), askAll(`${path}/members`), ask('GET', 'viewer')]);
	const failed = answers.find(({ status }) => status !== 200);
	if (failed) return { answer: failed };
	const [shown, { items: members }, viewer] = answers.map(({ body }) => body);
	const users = viewer.admin ? await askAll('users') : null;
	return {
		node: settingsPage(el('h1', {}, words.head(entity)),
			memberCard({ path, entity: shown, members, user, names: users?.body?.items?.map(({ name }) => name) }),
			quotaCard({ path, entity: shown, canChange: viewer.admin }),
			shown.role === 'admin' && deletedProjects(entity)),
		title: words.head(entity),
	};
}
