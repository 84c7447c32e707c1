/* States are told in the words of the page, wherever one is said. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { stateWord } = await import('../../../web-static/js/text/common.js');
const { runNow, runWords } = await import('../../../web-static/js/run/run_news.js');
const { text } = await import('../../../web-static/js/text/common.js');

test('a state has a word, and one that is not known its name', () => {
	text.states.crashed = 'abgestürzt';
	assert.deepEqual(['crashed', 'finished', 'frozen'].map(stateWord), ['abgestürzt', 'finished', 'frozen']);
	assert.match(runWords(runNow({ state: 'running' }, []), runNow({ state: 'crashed' }, [])), /abgestürzt/);
});
