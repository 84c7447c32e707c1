/*
 * Addresses: links of our own are followed without loading anew, what changes the query alone leaves the page
 * where it is, and going back finds the place that one had scrolled to.
 */

import { root } from './api.js';

/* Below the prefix, but answered by the server itself. */
const SERVED = ['api', 'artifactsV2', 'files', 'graphql', 'healthz', 'metrics', 'oidc', 'ready', 'sdk', 'static'];
const READABLE = { '%3A': ':', '%2C': ',', '%2F': '/', '%40': '@', '%20': '+' };

const listeners = new Set();
const pageListeners = new Set();
let openPage = () => {};
let restPage = () => {};
let here = location.pathname;

function encoded(word) {
	return encodeURIComponent(word).replace(/%(3A|2C|2F|40|20)/g, (escape) => READABLE[escape]);
}

/* The text of a query, as people can read it in the address. */
export function queryText(params) {
	const pairs = [...params].map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
	return pairs.length ? `?${pairs.join('&')}` : '';
}

export function query() {
	return new URLSearchParams(location.search);
}

export function onQuery(listener) {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/* Called before another page is opened, when the address is its own already. */
export function onPage(listener) {
	pageListeners.add(listener);
	return () => pageListeners.delete(listener);
}

function scrollers() {
	return document.querySelectorAll('main [data-scroll]');
}

function keepPlace() {
	const places = Object.fromEntries([...scrollers()].map((node) => [node.dataset.scroll, node.scrollTop]));
	history.replaceState({ ...history.state, places }, '');
}

/* How far it was scrolled when one went on from here. */
export function placeOf(scroller) {
	return history.state?.places?.[scroller] || 0;
}

/* Called by the page's frame when a page stands. */
export function findPlace() {
	for (const node of scrollers()) node.scrollTop = placeOf(node.dataset.scroll);
}

function arrive() {
	const isSame = location.pathname === here;
	here = location.pathname;
	if (!isSame) {
		for (const listener of [...pageListeners]) listener();
		return openPage();
	}
	for (const listener of [...listeners]) listener(query());
	return null;
}

export function go(href, { replace = false } = {}) {
	keepPlace();
	history[replace ? 'replaceState' : 'pushState']({}, '', href);
	return arrive();
}

/* null takes a name away. Typing and sliders replace, decisions of their own push. */
export function setQuery(changes, { replace = true } = {}) {
	const params = query();
	for (const [name, value] of Object.entries(changes)) {
		if (value === null) params.delete(name);
		else params.set(name, value);
	}
	const search = queryText(params);
	if (search !== location.search) go(location.pathname + search, { replace });
}

export function isOurs(url) {
	if (url.origin !== location.origin || !url.pathname.startsWith(root.pathname)) return false;
	return !SERVED.includes(url.pathname.slice(root.pathname.length).split('/')[0]);
}

function isPlain(event) {
	return event.button === 0 && !event.defaultPrevented && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
}

function take(event) {
	const link = isPlain(event) && event.target.closest?.('a[href]');
	if (!link || link.target || link.hasAttribute('download')) return;
	const url = new URL(link.href);
	if (!isOurs(url) || url.hash) return;
	event.preventDefault();
	if (url.href === location.href) openPage();
	else go(url.href);
}

/* The page is seen and reads nothing more, until one goes on or it is opened again. A promise of what tells whether nobody went on. */
export function rest() {
	return restPage();
}

export function reopen() {
	return openPage();
}

/* `open` shows the page of the address that there is now; `still` ends what the page that is shown does. */
export function startRouter(open, still) {
	openPage = open;
	restPage = still;
	history.scrollRestoration = 'manual';
	document.addEventListener('click', take);
	addEventListener('popstate', arrive);
	addEventListener('pagehide', keepPlace);
}
