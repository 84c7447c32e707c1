/* The line on top: the place, the other pages of the project, and the user. Made once, then updated. */

import { hrefOf } from '../address.js';
import { append, el, replace } from '../base/dom.js';
import { text } from '../text/frame.js';
import { menu } from '../ui/controls.js';
import { icon } from '../ui/icons.js';
import { themeButton } from '../ui/theme_button.js';

const words = text.header;

function initials(user) {
	const parts = user.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
	return (parts.length > 1 ? parts[0][0] + parts[1][0] : (parts[0] || user).slice(0, 2)).toUpperCase();
}

function slash() {
	return el('span', { class: 'slash', 'aria-hidden': 'true' }, '/');
}

/* A step is a link, but for the last one. */
function step(name, href, look, isLast) {
	return isLast ? el('span', { class: `here clip ${look}`, 'aria-current': 'page' }, name)
		: el('a', { class: look, href }, name);
}

function crumbs({ page, entity, project, run, sweep, collection, version }, details) {
	if (!entity) return [];
	const lock = details.isPrivate && icon('lock', words.isPrivate);
	const last = details.run || run || sweep || (version ? `${collection}:${version}` : collection);
	return [
		step(entity, hrefOf(entity), 'entity', page === 'projects'),
		project && [slash(), step(project, hrefOf(entity, project), 'project', !last), lock],
		last && [slash(), step(last, '', 'run', true)],
	];
}

function places(address, pages) {
	if (!address.project) return [];
	return words.places.filter(([page]) => pages.includes(page)).map(([page, name, path]) =>
		el('a', { href: path ? hrefOf(address.entity, address.project, path) : hrefOf(address.entity, address.project),
			'aria-current': page === address.page ? 'page' : null }, name));
}

function accountButton(user, items) {
	const button = el('button',
		{ type: 'button', class: 'avatar', 'aria-label': words.account(user), title: words.signedInAs(user) },
		initials(user));
	return menu(button, items);
}

/*
 * {node, show(address, user), setRun(name), setPrivate(isPrivate)}. `pages` are the names of those that there are:
 * others are not offered. `tools` are before the theme, `account` makes the items of the account's menu.
 */
export function makeHeader({ pages, tools, account }) {
	const trail = el('nav', { class: 'crumbs', 'aria-label': words.place });
	const nav = el('nav', { class: 'nav', 'aria-label': words.project });
	const who = el('span', { class: 'who' });
	const node = el('header', { class: 'top' },
		el('a', { class: 'logo', href: hrefOf(), 'aria-label': words.home, title: words.home }, icon('logo')),
		trail, nav, el('span', { class: 'grow' }), tools, themeButton(), who);
	let shown = {};
	let details = {};

	/* Keeps links that did not change: one of them may be just being clicked. */
	function drawTrail() {
		const fresh = [...append(el('nav'), crumbs(shown, details)).children];
		const old = [...trail.children];
		const same = fresh.map((node) => old.find((one) => one.isEqualNode(node) && one.localName === 'a') || node);
		old.filter((one) => !same.includes(one)).forEach((one) => one.remove());
		same.forEach((node, at) => trail.children[at] === node || trail.insertBefore(node, trail.children[at] || null));
	}

	function show(address, user) {
		shown = address;
		details = {};
		drawTrail();
		replace(nav, places(address, pages));
		nav.hidden = !nav.childElementCount;
		node.classList.toggle('has-nav', !nav.hidden);
		replace(who, user ? accountButton(user, account) : el('a', { class: 'btn', href: hrefOf('login') }, text.header.signIn));
	}

	function setRun(name) {
		details.run = name;
		drawTrail();
	}

	function setPrivate(isPrivate) {
		details.isPrivate = isPrivate;
		drawTrail();
	}

	return { node, show, setRun, setPrivate };
}
