/*
 * The frame: each address is a page. Who is not signed in sees what is public, and else signs in and stays at the
 * address.
 */

import { addressOf, hrefOf } from './address.js';
import { ask, GONE, setSignedIn } from './api.js';
import { append, el, replace, setText } from './base/dom.js';
import { visible } from './base/visible.js';
import { readDraft } from './draft.js';
import { makeHeader } from './frame/header.js';
import { liveIndicator } from './frame/live_indicator.js';
import { comesBack, lookAgain } from './frame/look_again.js';
import { startTools } from './frame/tools.js';
import { findPlace, reopen, startRouter } from './router.js';
import { text as common } from './text/common.js';
import { text } from './text/frame.js';
import { faultWords } from './ui/fault_words.js';
import { later, loaded } from './ui/later.js';
import { toast } from './ui/toast.js';

/* The module of each page and what it is called there; one that is not here is not offered anywhere. */
const PAGES = {
	projects: [() => import('./pages/projects.js'), 'projectsPage'],
	workspace: [() => import('./pages/workspace.js'), 'workspacePage'],
	table: [() => import('./pages/workspace.js'), 'tablePage'],
	run: [() => import('./pages/run.js'), 'runPage'],
	compare: [() => import('./pages/compare.js'), 'comparePage'],
	sweeps: [() => import('./pages/sweeps.js'), 'sweepsPage'],
	artifacts: [() => import('./pages/artifacts.js'), 'artifactsPage'],
	keys: [() => import('./pages/keys.js'), 'keysPage'],
	settings: [() => import('./pages/project_settings.js'), 'projectSettingsPage'],
	'settings-keys': [() => import('./pages/keys.js'), 'keysPage'],
	'settings-profile': [() => import('./pages/profile.js'), 'profilePage'],
	'entity-settings-members': [() => import('./pages/members.js'), 'membersPage'],
	link: [() => import('./pages/link.js'), 'linkPage'],
	'admin-users': [() => import('./pages/users.js'), 'usersPage'],
	'admin-teams': [() => import('./pages/teams.js'), 'teamsPage'],
	'admin-server': [() => import('./pages/server.js'), 'serverPage'],
	'admin-audit': [() => import('./pages/audit.js'), 'auditPage'],
};
/* For who is signed in alone. */
const OWN = ['projects', 'keys', 'settings-keys', 'settings-profile', 'entity-settings-members', 'admin-server',
	'admin-users', 'admin-teams', 'admin-audit'];
/* Before there is anybody. */
const ENTRIES = {
	signIn: [() => import('./pages/sign_in.js'), 'signInPage'],
	firstAdmin: [() => import('./pages/first_admin.js'), 'firstAdminPage'],
};
const SLOW_MS = 400;
const AWAY = { status: 0 };

const again = later(() => import('./frame/sign_in_again.js'));
const looking = lookAgain(() => begin(true));
const main = el('main', { id: 'main', tabindex: -1 });
const told = el('div', { class: 'sr', role: 'status' });
const tools = startTools({ pages: Object.keys(PAGES), where: () => addressOf(location.pathname),
	user: () => session.name,
	isAdmin: () => session.admin === true, signOut });
const header = makeHeader({ pages: Object.keys(PAGES), tools: [liveIndicator(), tools.jump], account: tools.account });

let session = {};
let shown = {};
let turns = 0;
let opening = null;
let headed = null; /* for what and whom the header stands */

/* told: nodes; words: what tells it from another fault. */
function faultPage(head, words, told = words) {
	const again = el('button', { class: 'btn primary', type: 'button', onclick: () => begin() }, common.fault.again);
	return {
		node: el('div', { class: 'cards narrow' }, el('section', { class: 'card roomy', 'aria-label': head },
			el('h1', {}, head), el('p', { class: 'fault', role: 'alert' }, told),
			el('div', { class: 'row' }, again,
				session.name && el('a', { class: 'btn', href: hrefOf() }, common.fault.toProjects)))),
		title: head,
		fault: JSON.stringify([words, session.name]),
	};
}

/* Returns what the server does not find at an address; an answer without a body is the page's own. */
function missingAt({ entity, project, run, sweep, collection, version }, { body }) {
	if (!body || !entity) return common.fault.page;
	const path = [entity, project, run].filter(Boolean).join('/');
	if (run) return common.fault.run(path);
	if (sweep) return common.fault.sweep(`${path}/${sweep}`);
	if (collection) return common.fault.artifact(`${path}/${collection}${version ? `:${version}` : ''}`);
	return project ? common.fault.project(path) : common.fault.entity(entity);
}

function pageOfFault(answer) {
	const { status } = answer;
	const head = common.fault.heads[status] || common.fault.head;
	if (status === 404) return faultPage(head, common.fault.missing(missingAt(addressOf(location.pathname), answer), session.name));
	if (GONE.includes(status)) return faultPage(head, common.fault.of(answer));
	const isAway = comesBack(answer);
	const page = faultPage(head, common.fault.of(answer), [faultWords()(answer), isAway && ` ${common.fault.retried}`]);
	return isAway ? { ...page, stop: looking.after(answer) } : page;
}

/* Null: it did not come. */
async function load([read, name]) {
	return (await loaded(read))?.[name] ?? null;
}

async function enter(entry) {
	const makePage = await load(entry);
	return makePage ? makePage(begin) : pageOfFault(AWAY);
}

/*
 * Changes the header for a page only while that page is wanted, not if it arrives, or saves, after the user has
 * gone on.
 */
function headerFor(turn) {
	const whileWanted = (say) => (said) => turn === turns && say(said);
	return {
		setRun: whileWanted((name) => {
			document.title = visible(common.title(name));
			header.setRun(name);
		}),
		setPrivate: whileWanted(header.setPrivate),
	};
}

/* A page that is no longer wanted is not begun: it would write into the address of the next. */
async function pageAt(address, turn, isUnasked) {
	if (!Object.hasOwn(PAGES, address.page)) return { answer: { status: 404 } };
	const [makePage, fault] = await Promise.all([load(PAGES[address.page]), readDraft()]);
	if (!makePage) return { answer: AWAY };
	if (fault && fault.status !== 404) return { answer: fault };
	if (turn !== turns) return { node: el('div') };
	const page = await makePage(address, { user: session.name, isUnasked, header: headerFor(turn) });
	if (fault && page.node && turn === turns) toast(text.draftGone);
	return page;
}

async function make(address, turn, isUnasked) {
	const user = session.name;
	if (!session.has_users) return enter(ENTRIES.firstAdmin);
	if (!user && OWN.includes(address.page)) return enter(ENTRIES.signIn);
	const page = await pageAt(address, turn, isUnasked);
	if (page.node) return page;
	return !user && [401, 404].includes(page.answer.status) ? enter(ENTRIES.signIn) : pageOfFault(page.answer);
}

/* Announces the page, and moves the focus into it. */
function arrive(page, isFirst) {
	document.title = visible(common.title(page.title));
	const head = main.querySelector('h1');
	head?.setAttribute('tabindex', '-1');
	if (page.focus) page.focus.focus();
	else if (!isFirst) (head || main).focus({ preventScroll: true });
	if (!isFirst) setText(told, page.title || '');
}

function leave() {
	shown.stop?.();
	shown = {};
}

/* The same fault again is nothing new: what stands stays, with the focus and what was said. */
function stand(page, isFirst) {
	main.removeAttribute('aria-busy');
	main.removeAttribute('data-slow');
	const before = shown;
	shown = page;
	if (page.fault && page.fault === before.fault) return null;
	before.stop?.();
	if (!page.fault) looking.forget();
	replace(main, page.node);
	findPlace();
	return arrive(page, isFirst);
}

function showHeader(user, isUnasked) {
	const next = JSON.stringify([location.pathname, user]);
	if (!isUnasked || next !== headed) header.show(addressOf(location.pathname), user);
	headed = next;
}

function beginToLeave(turn) {
	looking.forget();
	leave();
	main.setAttribute('aria-busy', 'true');
	return setTimeout(() => turn === turns && main.setAttribute('data-slow', ''), SLOW_MS);
}

const faultOf = (error) => faultPage(common.fault.head, common.fault.own(error.message));

/*
 * Opens the page of the address; unexpected errors are shown, too. A page that arrives after the user has gone on is
 * not shown. If the user did not ask for it, the present page is not touched until there is another.
 */
async function openNow(isUnasked) {
	const turn = ++turns;
	const isFirst = turn === 1;
	const address = addressOf(location.pathname);
	const slow = isUnasked ? 0 : beginToLeave(turn);
	showHeader(session.name, isUnasked);
	const page = await make(address, turn, isUnasked).catch(faultOf);
	clearTimeout(slow);
	if (turn !== turns) return page.stop?.();
	page.late?.then((answer) => answer && pageOfFault(answer), faultOf)
		.then((fault) => turn === turns && (fault ? stand(fault, isFirst) : findPlace()));
	return stand(page, isFirst);
}

function open(isUnasked = false) {
	opening = openNow(isUnasked);
	return opening;
}

/*
 * The page that is on its way comes first, for it reads already. Gives what tells whether it is still the one that
 * stands.
 */
async function rest() {
	await opening;
	const turn = turns;
	leave();
	main.setAttribute('aria-busy', 'true');
	main.setAttribute('data-slow', '');
	return () => turn === turns;
}

/* Loads the most likely page while the session is read; an error is reported when the page is needed. */
function readAhead() {
	const { page } = addressOf(location.pathname);
	if (Object.hasOwn(PAGES, page)) load(PAGES[page]).catch(() => {});
}

async function begin(isUnasked = false) {
	const turn = turns;
	readAhead();
	const answer = await ask('GET', 'session');
	if (isUnasked && turn !== turns) return null;
	session = answer.status === 200 ? answer.body : {};
	setSignedIn(Boolean(session.name));
	if (answer.status === 200) return open(isUnasked);
	turns++;
	if (!isUnasked) leave();
	showHeader(null, isUnasked);
	return stand(pageOfFault(answer), true);
}

/* Nothing that one user saw is kept for the next. */
async function signOut() {
	setSignedIn(false);
	await ask('DELETE', 'session');
	location.reload();
}

/* The session went while the page was open. */
function signInAgain({ detail: resolve }) {
	again('signInAgain', session.name, resolve);
}

/*
 * The previous page is shown until the next one is ready. Its links work; what is typed there does not go into the next
 * address.
 */
function notOfLeft(event) {
	if (main.hasAttribute('aria-busy')) event.stopImmediatePropagation();
}

for (const type of ['input', 'change']) main.addEventListener(type, notOfLeft, { capture: true });
append(document.getElementById('app'), el('a', { class: 'skip', href: '#main' }, text.header.skip), header.node, main,
	told);
addEventListener('signed-out', signInAgain);
addEventListener('times', reopen); /* what is seen was told by another clock */
startRouter(() => open(), rest);
begin();
