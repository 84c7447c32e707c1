/*
 * The frame of a run: its head and its tabs. A tab is a row of the table.
 */

import { hrefOf } from '../address.js';
import { serverNow } from '../base/clock.js';
import { el, refill, replace } from '../base/dom.js';
import { count } from '../base/format.js';
import { onKey } from '../base/keys.js';
import { nameOf } from '../base/slot.js';
import { go, onQuery } from '../router.js';
import { sideList } from '../run/side_list.js';
import { runHead } from '../run/head.js';
import { momentKey, momentQuery } from '../run/moment.js';
import { borrowRun, CONFLICTS } from '../run/run_data.js';
import { runNow, runWords } from '../run/run_news.js';
import { text } from '../text/run.js';
import { announcer } from '../ui/announcer.js';
import { tabs as tabBar } from '../ui/controls.js';
import { faultWords } from '../ui/fault_words.js';
import { later, loaded } from '../ui/later.js';

const words = text.runPage;
const STOP_MS = 60000;
const AGAIN_MS = 5000;
const workspace = later(() => import('./workspace.js'));

/* Returns what is wrong with the run's writers, in words. */
function writersWarning(data) {
	const { lost } = data.look().counts;
	const { conflicts } = data;
	return [lost && words.lost(count(lost)), conflicts.length && words.conflicts(conflicts.length, conflicts.length >= CONFLICTS)]
		.filter(Boolean).join(', ');
}

/* A writer counts from 0. */
function linesOf(data) {
	return count(data.writers.reduce((sum, writer) => sum + writer.console_lines, 0));
}

/*
 * id: as in the address. tab: the module that is loaded when it is opened, and its name there: async (address,
 * {user, header, run}) -> {node, update?, stop?, focus?} or {answer}. count and warn are of the run's data and may be
 * undefined.
 */
const TABS = [
	{ id: 'overview', name: words.tabs.overview, tab: [() => import('./run_overview.js'), 'overviewTab'] },
	{ id: 'charts', name: words.tabs.charts, tab: [() => import('./run_charts.js'), 'chartsTab'],
		count: ({ keyCount }) => keyCount === undefined ? undefined : count(keyCount) },
	{ id: 'writers', name: words.tabs.writers, tab: [() => import('./run_writers.js'), 'writersTab'],
		warn: writersWarning,
		count: (data) => count(data.writers.length) },
	{ id: 'logs', name: words.tabs.logs, tab: [() => import('./run_logs.js'), 'logsTab'], count: linesOf },
	{ id: 'system', name: words.tabs.system, tab: [() => import('./run_system.js'), 'systemTab'] },
	{ id: 'files', name: words.tabs.files, tab: [() => import('./run_files.js'), 'filesTab'],
		count: (data) => count(data.run.files) },
	{ id: 'settings', name: words.tabs.settings, tab: [() => import('./run_settings.js'), 'settingsTab'] },
];

const hrefOfTab = ({ entity, project, run }, id) => hrefOf(entity, project, 'runs', run, id) + momentQuery(id);

function bar(address, data) {
	return tabBar(words.tabsName, TABS.map((one) => ({ id: one.id, name: one.name, href: hrefOfTab(address, one.id),
		count: one.count?.(data), warn: one.warn?.(data) })), address.tab);
}

function tabKeys(address) {
	const stops = TABS.map((one, index) => onKey(String(index + 1), words.tabKey(one.name),
		() => go(hrefOfTab(address, one.id))));
	return () => stops.forEach((stop) => stop());
}

/* Returns the address of the charts for the tab "workspace", a name that users may still type. */
function elsewhere({ entity, project, run, tab }) {
	if (tab !== 'workspace') return null;
	const to = TABS.find((one) => one.id === 'charts') || TABS[0];
	return hrefOf(entity, project, 'runs', run, to.id);
}

/* A minute after the run was asked to stop, a note says what to do if it still runs. {node, update, stop} */
function overdueStop(data) {
	const node = el('div', { class: 'redrawn' });
	let [note, timer, restTimer, isLoading, isStopped] = [null, 0, 0, false, false];

	async function load() {
		if (isLoading) return;
		isLoading = true;
		const module = await loaded(() => import('../run/stop_note.js'));
		if (isStopped) return;
		note = module?.stopNote(data) ?? null;
		if (note) return void update();
		restTimer = setTimeout(() => {
			isLoading = false;
			update();
		}, AGAIN_MS);
	}

	function update() {
		const { ended_at: end, stop_requested_at: asked } = data.run;
		const left = end || !asked ? Infinity : Date.parse(asked) + STOP_MS - serverNow();
		clearTimeout(timer);
		if (left > 0) {
			if (left < Infinity) timer = setTimeout(update, left + 1);
			return void replace(node);
		}
		if (!note) return void load();
		note.update();
		if (!note.node.isConnected) replace(node, note.node);
	}

	function stop() {
		isStopped = true;
		clearTimeout(timer);
		clearTimeout(restTimer);
	}

	update();
	return { node, update, stop };
}

export async function runPage(address, context) {
	const href = elsewhere(address);
	if (href) {
		go(href, { replace: true });
		return { node: el('div') };
	}
	const tab = TABS.find((one) => one.id === address.tab);
	if (!tab) return { answer: { status: 404 } };
	const [read, name] = tab.tab;
	const module = loaded(read);
	module.catch(() => {}); /* reported below */
	const { data, answer } = await borrowRun(address, context.user);
	if (answer) return { answer };
	const makeTab = (tabs) => tabs ? tabs[name](address, { ...context, run: data }) : { answer: { status: 0 } };
	const page = await module.then(makeTab).catch((fault) => {
		data.release();
		throw fault;
	});
	if (page.answer) {
		data.release();
		return page;
	}

	const list = sideList(address, context.user, workspace);
	const head = runHead(data, list.button());
	const stopping = overdueStop(data);
	const tabPlace = el('div', { class: 'tab-bar' }, bar(address, data));
	const fault = el('p', { class: 'fault', role: 'alert' });
	const sayFault = faultWords(() => data.again());
	let said = runNow(data.run, data.look().writers);
	const voice = announcer(() => {
		const before = said;
		said = runNow(data.run, data.look().writers);
		return runWords(before, said);
	});
	let barEssence = '';
	let shownName = '';

	function updateBar() {
		const next = bar(address, data);
		const essence = next.textContent + momentQuery();
		if (essence === barEssence || tabPlace.contains(document.activeElement)) return;
		barEssence = essence;
		replace(tabPlace, next);
	}

	function showName() {
		const now = nameOf(data.run);
		if (now === shownName) return;
		shownName = now;
		context.header.setRun(now);
	}

	function update() {
		refill(fault, sayFault(data.fault));
		showName();
		head.update();
		stopping.update();
		updateBar();
		page.update?.();
		if (runWords(said, runNow(data.run, data.look().writers))) voice.note();
	}

	const stops = [data.listen(update), onQuery(updateBar), tabKeys(address), momentKey()];
	update();

	function stop() {
		stops.forEach((one) => one());
		stopping.stop();
		voice.stop();
		page.stop?.();
		data.release();
	}

	return { node: list.frame(el('div', { class: 'run-page' }, head.node, tabPlace, stopping.node, fault, page.node, voice.node)), stop,
		focus: page.focus,
		title: nameOf(data.run) };
}
