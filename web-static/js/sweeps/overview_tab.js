/* How a sweep is, at a glance: how far, the best value so far, facts, and how to start agents. */

import { serverNow } from '../base/clock.js';
import { el } from '../base/dom.js';
import { count, duration, number, written } from '../base/format.js';
import { wholeMoment } from '../base/moments.js';
import { text as common } from '../text/common.js';
import { text } from '../text/sweeps.js';
import { card } from '../ui/controls.js';
import { redrawn } from '../ui/redrawn.js';
import { ago } from '../ui/times.js';
import { bestCard } from './best_card.js';
import { progressOf, rateOf, timeLeft } from './figures.js';
import { agentNodes } from './lines.js';
import { progressBar } from './sweep_table.js';

const words = text.sweep;
const COUNTS = ['running', 'waiting', 'finished', 'failed', 'killed', 'lost', 'prior'];
const ENDED = ['finished', 'canceled'];
const TICK_MS = 15000;

/* Only while it hands out trials there is time left. */
function paceWords(sweep, trials) {
	if (sweep.state !== 'running') return null;
	const rate = rateOf(trials, serverNow());
	const left = timeLeft(progressOf(sweep), rate);
	if (!rate) return null;
	return el('p', { class: 'soft', title: words.rateHow(rate.of) }, [words.rate(number(rate.perHour)), left ? words.timeLeft(duration(left)) : ''].filter(Boolean).join(', '));
}

function progressCard({ sweep, trials, isCut }) {
	const { trials: counts, why_ended: why } = sweep;
	return card(words.progress, null, el('div', { class: 'body sweep-far' }, progressBar(sweep), paceWords(sweep, trials),
		why && el('p', { class: 'soft' }, words.ended(why)),
		isCut && el('p', { class: 'soft' }, words.cut(trials.length, counts.total + counts.prior)),
		counts.total + counts.prior === 0 ? el('p', { class: 'soft' }, words.noTrials)
			: el('dl', { class: 'sweep-counts' }, COUNTS.filter((name) => counts[name] > 0).map((name) =>
				el('div', {}, el('dt', {}, words.counts[name]), el('dd', {}, count(counts[name])))))));
}

function methodWords({ method, is_controlled: isControlled }) {
	return isControlled ? `${method}, ${words.controller}` : method;
}

function factsCard({ sweep }) {
	const { metric } = sweep;
	const { fact } = words;
	const moment = (at) => at && el('time', { datetime: at, title: wholeMoment(at) }, ago(at));
	const list = [
		[fact.about, sweep.description],
		[fact.method, methodWords(sweep)],
		[fact.metric, metric ? words.goals[metric.goal](metric.name) : words.noMetric],
		[fact.target, typeof metric?.target === 'number' && written(metric.target)],
		[fact.seed, String(sweep.seed)],
		[fact.cap, sweep.run_cap !== null && count(sweep.run_cap)],
		[fact.program, sweep.program],
		[fact.prior, sweep.prior_runs?.length > 0 && sweep.prior_runs.join(', ')],
		[fact.user, sweep.user ?? common.none],
		[fact.created, moment(sweep.created_at)],
		[fact.state, moment(sweep.state_at)],
		[fact.changed, sweep.changed_at !== sweep.created_at && moment(sweep.changed_at)],
	].filter(([, value]) => value);
	const node = card(words.facts, null, el('dl', {}, list.map(([name, value]) => [el('dt', {}, name), el('dd', {}, value instanceof Node ? value : el('bdi', {}, value))])));
	node.classList.add('fact-card');
	return node;
}

export function overviewTab(address, feed, { mayWrite }) {
	const best = bestCard(address, feed);
	const progress = redrawn(() => [feed.sweep, feed.trials.length, Math.floor(serverNow() / TICK_MS)], () => progressCard(feed));
	const facts = redrawn(() => { /* counts and the best value are not among them */
		const { trials, best: value, last_ended_at: ended, ...rest } = feed.sweep;
		return rest;
	}, () => factsCard(feed));
	const agents = el('section', { class: 'card', 'aria-label': words.agentsHead }, el('details', { class: 'sweep-agents', open: feed.sweep.state === 'pending' },
		el('summary', {}, words.agentsHead), el('div', { class: 'body' }, agentNodes(address, words.agentsHow))));

	function update() {
		for (const part of [best, progress, facts]) part.update();
		agents.hidden = !mayWrite || ENDED.includes(feed.sweep.state);
	}

	update();
	return {
		node: el('div', { class: 'artifact-columns' },
			el('div', { class: 'artifact-main' }, progress.node, best.node, agents), el('div', { class: 'artifact-side' }, facts.node)),
		update,
		stop: best.stop,
	};
}
