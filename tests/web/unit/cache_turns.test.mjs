import assert from 'node:assert/strict';
import test from 'node:test';

import { cacheTurns } from '../../../web-static/js/chart/data/cache_turns.js';

/* Turns of a cache that answers when the test says so; what is behind is asked for by its number. */
function scene(t) {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	let now = 0;
	t.mock.method(performance, 'now', () => now);
	const made = { wants: [], isBehind: false, least: 1000, answers: 0 };
	const cache = { want: (question, listener) => {
		const want = { question, isGone: false, answer: (got = {}) => want.isGone || listener(got) };
		made.wants.push(want);
		return () => { want.isGone = true; };
	} };
	const turns = cacheTurns(cache, { isDue: () => made.isBehind, leastMs: () => made.least, answered: () => made.answers++,
		next() {
			made.isBehind = false;
			made.ask(`next ${made.wants.length}`);
		} });
	return Object.assign(made, { turns,
		ask: (question) => turns.want(question, (got, done) => done()),
		come() {
			made.isBehind = true;
			turns.soon();
		},
		tick(ms) {
			now += ms;
			t.mock.timers.tick(ms);
		},
		asked: () => made.wants.map(({ question }) => question) });
}

test('what comes meanwhile is asked for after the answer, some time after the question before', (t) => {
	const { ask, come, tick, wants, asked } = scene(t);
	ask('whole');
	come();
	tick(60000);
	assert.deepEqual(asked(), ['whole'], 'one at a time');
	ask('other');
	assert.ok(wants[0].isGone, 'which comes into its place');
	tick(100);
	wants[1].answer();
	tick(899);
	assert.equal(wants.length, 2);
	tick(1);
	assert.deepEqual(asked(), ['whole', 'other', 'next 2']);
	wants[2].answer();
	tick(60000);
	assert.equal(wants.length, 3, 'nothing is behind');
});

test('the longer an answer takes the more seldom it is asked; an old one is no answer', (t) => {
	const scened = scene(t);
	const { ask, come, tick, wants } = scened;
	ask('whole');
	wants[0].answer({ isOld: true });
	assert.equal(scened.answers, 0);
	tick(2000);
	wants[0].answer();
	assert.equal(scened.answers, 1);
	come();
	tick(5999);
	assert.equal(wants.length, 1);
	tick(1);
	assert.equal(wants.length, 2);
});

test('who rests asks for nothing, and goes on with the next question', (t) => {
	const { turns, ask, come, tick, wants } = scene(t);
	ask('whole');
	wants[0].answer();
	come();
	turns.rest();
	tick(60000);
	assert.equal(wants.length, 1);
	ask('whole');
	turns.rest();
	assert.ok(wants[1].isGone && !turns.isAsking());
	come();
	tick(1000);
	assert.equal(wants.length, 3);
});
