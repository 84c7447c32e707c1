/* The agents of a sweep: on which hosts, when they were heard, and hosts that are set aside. */

import { ask } from '../api.js';
import { serverNow } from '../base/clock.js';
import { el } from '../base/dom.js';
import { count } from '../base/format.js';
import { moment } from '../base/moments.js';
import { table } from '../run/card.js';
import { text as common } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { button, card, toast } from '../ui/controls.js';
import { isDone } from '../ui/form.js';
import { redrawn } from '../ui/redrawn.js';
import { ago } from '../ui/times.js';
import { badge } from './badge.js';
import { agentNodes } from './lines.js';

const words = text.sweep;
const STATES = ['running', 'lost', 'finished'];

const isAside = ({ set_aside_until: until }) => until !== null && Date.parse(until) > serverNow();
const byConcern = (a, b) => isAside(b) - isAside(a) || STATES.indexOf(a.state) - STATES.indexOf(b.state) || Date.parse(b.created_at) - Date.parse(a.created_at);

export function agentsTab(address, feed, { mayWrite }) {
	async function use({ agent, host }) {
		const answer = await ask('PATCH', `${feed.path}/agents/${agent}`, { set_aside: false });
		toast(isDone(answer) ? words.used(host) : common.fault.of(answer));
		feed.again();
	}

	function row(agent) {
		return el('tr', {},
			el('th', { scope: 'row' }, el('code', {}, agent.agent)),
			el('td', {}, el('bdi', { class: 'clip' }, agent.host)),
			el('td', {}, badge(agent.state), isAside(agent) && [' ', el('span', { class: 'state crashed', title: words.asideHow }, words.aside(moment(agent.set_aside_until)))]),
			el('td', {}, ago(agent.heard_at)),
			el('td', { class: 'num' }, count(agent.trials)), el('td', { class: 'num' }, count(agent.finished)), el('td', { class: 'num' }, count(agent.failed_in_row)),
			el('td', {}, el('bdi', {}, agent.user ?? common.none)),
			el('td', {}, mayWrite && isAside(agent) && button(words.use, { look: 'small', 'data-key': `use-${agent.agent}`, 'aria-label': `${words.use}: ${agent.host}`, onclick: () => use(agent) })));
	}

	const list = redrawn(() => [feed.agents.map(({ heard_at: heard, ...agent }) => [agent, isAside(agent), heard])], () =>
		feed.agents.length ? table(words.agents, words.agentColumns, [...feed.agents].sort(byConcern).map(row)) : el('p', { class: 'note' }, words.noAgents));
	return {
		node: el('div', { class: 'artifact-main' }, card(words.agents, null, list.node),
			mayWrite && card(words.agentsHead, null, el('div', { class: 'body' }, agentNodes(address, words.agentsHow)))),
		update: list.update,
	};
}
