/*
 * Addresses: links of our own are followed without loading anew, what changes the query alone leaves the page
 * where it is, and going back finds the place that one had scrolled to. What is open over the page is closed by going
 * back, which leaves the address as it is, and goes with the page.
 */

import { root } from './api.js';
import { closeAll, newest } from './base/overlays.js';
import { draftOf, isDraftKnown, onDraft, withDraft } from './draft.js';

/* Below the prefix, but answered by the server itself. */
const SERVED = ['api', 'artifacts', 'artifactsV2', 'files', 'graphql', 'healthz', 'metrics', 'oidc', 'ready', 'sdk', 'static',
	'storage'];
const READABLE = { '%3A': ':', '%2C': ',', '%2F': '/', '%40': '@', '%20': '+' };

const LONGEST = 2000; /* what programs that pass an address on still take */
const QUIET_MS = 500;

const listeners = new Set();
const pageListeners = new Set();
let openPage = () => {};
let restPage = () => {};
let here = location.pathname;
let at = 0; /* which entry of the history */
let held = null; /* {at, close}: where the address comes back to, and what is closed then */
let shortening = 0;

function encoded(word) {
	return encodeURIComponent(word).replace(/%(3A|2C|2F|40|20)/g, (escape) => READABLE[escape]);
}

/* The text of a query, as people can read it in the address. */
export function queryText(params) {
	const pairs = [...params].map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
	return pairs.length ? `?${pairs.join('&')}` : '';
}

/* Returns the parameters of the address, merged with those of its draft. */
export function query() {
	return withDraft(new URLSearchParams(location.search));
}

function isShort(search) {
	return location.origin.length + location.pathname.length + search.length <= LONGEST;
}

/*
 * In full where there is room, else as changes of the draft that is there, and where those are too long in full again.
 */
function searchOf(params) {
	const whole = queryText(params);
	const changes = isShort(whole) ? null : onDraft(params);
	return changes && isShort(queryText(changes)) ? queryText(changes) : whole;
}

/* An address that nothing was added to for a moment is written as its draft. Who may keep none has it as it is. */
async function shorten() {
	const asked = location.href;
	const id = await draftOf(query());
	if (id && location.href === asked) history.replaceState(history.state, '', `${location.pathname}?view=${id}`);
}

function shortenSoon() {
	clearTimeout(shortening);
	if (!isShort(location.search)) shortening = setTimeout(shorten, QUIET_MS);
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

/* Called by the page's frame when a page stands, which is at its top: to set that would lay it out before its time. */
export function findPlace() {
	for (const node of scrollers()) {
		const top = placeOf(node.dataset.scroll);
		if (top) node.scrollTop = top;
	}
}

function arrive() {
	const isSame = location.pathname === here;
	here = location.pathname;
	shortenSoon();
	if (!isSame) {
		closeAll();
		for (const listener of [...pageListeners]) listener();
		return openPage();
	}
	if (!isDraftKnown()) return openPage();
	for (const listener of [...listeners]) listener(query());
	return null;
}

export function go(href, { replace = false } = {}) {
	keepPlace();
	if (!replace) at++;
	history[replace ? 'replaceState' : 'pushState']({ at }, '', href);
	return arrive();
}

/* Updates the position in the history. An entry that the router did not make is a new one. */
function count() {
	at = history.state?.at ?? at + 1;
	history.replaceState({ ...history.state, at }, '');
}

/* Handles back and forward: if something is open over the page, it is closed and the address restored. */
function went() {
	const [from, close, isOwn] = [at, newest(), history.state?.at !== undefined];
	count();
	if (held) {
		const isBack = at === held.at;
		held.close();
		held = null;
		return isBack ? null : arrive();
	}
	if (!close || !isOwn || at === from) return arrive();
	held = { at: from, close };
	return history.go(from - at);
}

/*
 * null takes a name away. Typing and sliders replace, decisions of their own push. While it is not known what the
 * address says, the page that is seen is one that was left.
 */
export function setQuery(changes, { replace = true } = {}) {
	if (!isDraftKnown()) return;
	const params = query();
	for (const [name, value] of Object.entries(changes)) {
		if (value === null) params.delete(name);
		else params.set(name, value);
	}
	const search = searchOf(params);
	if (search !== location.search) go(location.pathname + search, { replace });
}

export function isOurs(url) {
	if (url.origin !== location.origin || !url.pathname.startsWith(root.pathname)) return false;
	return !SERVED.includes(url.pathname.slice(root.pathname.length).split('/')[0]);
}

function isPlain(event) {
	return event.button === 0 && !event.defaultPrevented
		&& !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
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

/*
 * The page is seen and reads nothing more, until one goes on or it is opened again. A promise of what tells whether
 * nobody went on.
 */
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
	at = -1;
	count();
	document.addEventListener('click', take);
	addEventListener('popstate', went);
	addEventListener('pagehide', keepPlace);
}
