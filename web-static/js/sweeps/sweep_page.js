/* The frame of a sweep: its name, what can be done with it, and its tabs. A tab is a row of the table. */

import { el, refill } from '../base/dom.js';
import { count } from '../base/format.js';
import { onKey } from '../base/keys.js';
import { mayRuleAs, mayWriteAs, roleIn } from '../projects/role.js';
import { go } from '../router.js';
import { sweepFeed } from './feed.js';
import { sweepHead } from './head.js';
import { overviewTab } from './overview_tab.js';
import { hrefOfSweep } from './places.js';
import { text } from '../text/sweeps.js';
import { tabs as tabBar } from '../ui/controls.js';
import { faultWords } from '../ui/fault_words.js';
import { loaded } from '../ui/later.js';

const words = text.sweep;

/* load: a promise of the function that makes the tab, (address, feed, rights) -> {node, update, stop?}; null: it did not come. */
const TABS = [
	{ id: 'overview', needs: { trials: true }, load: async () => overviewTab },
	{ id: 'charts', needs: { trials: true, importance: true }, load: async () => (await loaded(() => import('./charts_tab.js')))?.chartsTab },
	{ id: 'trials', needs: { trials: true }, load: async () => (await loaded(() => import('./trials_tab.js')))?.trialsTab, count: ({ trials }) => count(trials.total + trials.prior) },
	{ id: 'agents', needs: { agents: true }, load: async () => (await loaded(() => import('./agents_tab.js')))?.agentsTab },
	{ id: 'config', needs: {}, load: async () => (await loaded(() => import('./config_tab.js')))?.configTab },
];

function bar(address, sweep) {
	return tabBar(words.tabsName, TABS.map((one) => ({ id: one.id, name: words.tabs[one.id], href: hrefOfSweep(address, one.id), count: one.count?.(sweep) })), address.tab);
}

function tabKeys(address) {
	const stops = TABS.map(({ id }, index) => onKey(String(index + 1), words.tabKey(words.tabs[id]), () => go(hrefOfSweep(address, id))));
	return () => stops.forEach((stop) => stop());
}

export async function sweepPage(address, { user, header }) {
	const found = TABS.find(({ id }) => id === address.tab);
	if (!found) return { answer: { status: 404 } };
	const loading = found.load();
	loading.catch(() => {}); /* reported below */
	const fault = el('p', { class: 'fault', role: 'alert' });
	const sayFault = faultWords(() => feed.again());
	const feed = sweepFeed(address, found.needs, { changed: draw, fault: (answer) => page && refill(fault, sayFault(answer)) });
	let page = null;
	const [failed, role] = await Promise.all([feed.begin(), user && roleIn(address.entity)]);
	const makeTab = failed ? null : await loading;
	if (!makeTab) {
		feed.stop();
		return { answer: failed || { status: 0 } };
	}
	const rights = { mayWrite: mayWriteAs(role), mayDelete: (sweep) => mayRuleAs(role) || (mayWriteAs(role) && sweep.user === user) };
	const top = sweepHead(address, feed, rights);
	const tabPlace = el('div', { class: 'tab-bar' }, bar(address, feed.sweep));
	page = makeTab(address, feed, rights);
	let name = feed.sweep.display_name;
	header.setRun(name);

	function draw() {
		if (!page) return;
		top.update();
		if (feed.sweep.display_name !== name) header.setRun(name = feed.sweep.display_name);
		refill(tabPlace, bar(address, feed.sweep));
		page.update();
	}

	const stopKeys = tabKeys(address);
	return {
		node: el('div', { class: 'artifact-page' }, top.node, tabPlace, el('div', { class: 'page', 'data-scroll': 'sweep' }, fault, page.node)),
		title: feed.sweep.display_name,
		stop() {
			stopKeys();
			feed.stop();
			page.stop?.();
		},
	};
}
