/* Tools of every page: the box that finds things, the map of keys, and the entries of the account's menu. */

import { hrefOf } from '../address.js';
import { el } from '../base/dom.js';
import { onKey, startKeys } from '../base/keys.js';
import { go } from '../router.js';
import { text } from '../text/frame.js';
import { copy } from '../ui/copy.js';
import { icon } from '../ui/icons.js';
import { later } from '../ui/later.js';
import { nextTheme } from '../ui/theme_button.js';

const words = text.jump;
const jump = later(() => import('./jump.js'));
const keyMap = later(() => import('./key_map.js'));
const openKeyMap = () => keyMap('openKeyMap');

function placesOf({ entity, project }, pages) {
	if (!project) return [];
	return text.header.places.filter(([page]) => pages.includes(page)).map(([, label, path]) => ({
		label, href: path ? hrefOf(entity, project, path) : hrefOf(entity, project) }));
}

/* The pages of settings that are not a project's: the user's own, and for admins the server's. */
function settingsPages(isAdmin) {
	const pagesOf = (place, named) =>
		named.map(([page, label]) => ({ label, also: words.also[place], href: hrefOf(place, page) }));
	return [...pagesOf('settings', text.settings.ownPages), ...isAdmin ? pagesOf('admin', text.settings.serverPages) : []];
}

/* The first one of the page that is seen, but for those in which one chooses a key. */
function searchField() {
	const fields = document.querySelectorAll('main :not(.key-field) > input[type=search]');
	return [...fields].find((one) => one.getClientRects().length);
}

/* `where`, `user` and `isAdmin` are asked when they are needed. Gives {jump, account}. */
export function startTools({ pages, where, user, isAdmin, signOut }) {
	const open = () => user() && !document.querySelector('dialog[open]') && jump('openJump', { address: where(),
		places: placesOf(where(), pages), settings: settingsPages(isAdmin()), openKeyMap, signOut });

	function account() {
		return [
			...settingsPages(isAdmin()),
			{ label: text.keyMap.open, key: '?', onpick: openKeyMap },
			null,
			{ label: text.header.signOut, onpick: signOut },
		];
	}

	function goTo(index) {
		const place = placesOf(where(), pages)[index];
		if (place) go(place.href);
	}

	/* It is there when K follows. */
	addEventListener('keydown', ({ key }) => ['Control', 'Meta'].includes(key) && user() && jump.soon());
	startKeys();
	onKey('Ctrl K', text.keyMap.jump, open);
	onKey('?', text.keyMap.open, openKeyMap);
	onKey('/', text.keyMap.search, () => searchField().focus(), searchField);
	onKey('t', text.keyMap.theme, nextTheme);
	onKey('y', text.keyMap.link, () => copy(location.href));
	text.header.places.filter(([page]) => pages.includes(page)).forEach(([, name, , key], index) =>
		onKey(`g ${key}`, text.keyMap.go(name), () => goTo(index)));
	return { account, jump: el('button', { type: 'button', class: 'jump', 'aria-label': words.button, onclick: open,
		onpointerenter: jump.soon, onfocus: jump.soon },
		icon('search'), el('span', { class: 'grow' }, words.button), el('kbd', { 'aria-hidden': 'true' }, words.key)) };
}
