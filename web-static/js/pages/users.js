/* Users of this server and their one-time links, for its admins. */

import { ask, askAll } from '../api.js';
import { el } from '../base/dom.js';
import { invite, linkCard } from '../settings/link_card.js';
import { adminTabs, widePage } from '../settings/settings.js';
import { addUser, userCard } from '../settings/user_card.js';
import { text } from '../text/people.js';
import { button, toast } from '../ui/controls.js';
import { text as common } from '../text/common.js';
import { isDone } from '../ui/form.js';

const words = text.users;

async function inviteToTeam(done) {
	const answer = await askAll('entities?kind=team');
	if (!isDone(answer)) return toast(common.fault.of(answer));
	return invite(answer.body.items.map(({ name }) => name), done);
}

export async function usersPage(address, { user }) {
	const viewer = await ask('GET', 'viewer');
	if (viewer.status !== 200) return { answer: viewer };
	if (!viewer.body.admin) return { answer: { status: 403, body: { detail: words.onlyAdmins } } };
	const answers = await Promise.all([askAll('users'), askAll('links')]);
	const failed = answers.find(({ status }) => status !== 200);
	if (failed) return { answer: failed };
	const [users, links] = answers.map(({ body }) => body.items);
	const linked = linkCard(links);
	const listed = userCard({ users, me: user, onchange: linked.show });

	function added() {
		listed.show();
		linked.show();
	}

	return {
		node: widePage(adminTabs('users'),
			el('div', { class: 'page-head' }, el('h1', {}, words.head), el('div', { class: 'row' },
				button(words.add, { name: 'plus', onclick: () => addUser(added) }),
				button(words.invite, { name: 'share', look: 'primary', onclick: () => inviteToTeam(linked.show) }))),
			listed.node, linked.node),
		title: words.head,
	};
}
