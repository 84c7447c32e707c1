import assert from 'node:assert/strict';
import test from 'node:test';

import { makeWindow } from './browser.mjs';

makeWindow();
const { comesBack, lookAgain } = await import('../../../web-static/js/frame/look_again.js');
const { loaded } = await import('../../../web-static/js/ui/later.js');

const settle = () => new Promise((resolve) => setImmediate(resolve));

/* seconds(n): lets them pass, one at a time; the session answers as `session` says, and each page fails as `fails` does. */
function looker(t) {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const made = { session: { status: 200 }, fails: { status: 503, wait: 1 }, opened: [], asked: 0, now: 0 };
	made.looking = lookAgain(() => {
		made.opened.push(made.now);
		if (made.fails) made.stop = made.looking.after(made.fails);
	}, async () => {
		made.asked++;
		return made.session;
	});
	made.seconds = async (count) => {
		for (const end = made.now + count; made.now < end;) {
			made.now++;
			t.mock.timers.tick(1000);
			await settle();
		}
	};
	made.stop = made.looking.after(made.fails);
	return made;
}

test('a page that fails though the server is there is opened more and more seldom, up to once a minute', async (t) => {
	const made = looker(t);
	await made.seconds(220);
	assert.deepEqual(made.opened, [5, 15, 35, 75, 135, 195]);
	made.looking.forget();
	made.stop();
	made.stop = made.looking.after(made.fails);
	await made.seconds(5);
	assert.equal(made.opened.at(-1), 225, 'what stood, or was asked for, begins anew');
});

test('nothing is asked before the time that the server named, up to a minute', async (t) => {
	const made = looker(t);
	made.stop();
	made.stop = made.looking.after({ status: 503, wait: 30 });
	await made.seconds(29);
	assert.equal(made.asked, 0);
	made.session = { status: 503, wait: 3600 };
	await made.seconds(60);
	assert.deepEqual([made.asked, made.opened], [1, []]);
	made.session = { status: 200 };
	await made.seconds(1);
	assert.deepEqual([made.asked, made.opened], [2, [90]]);
});

test('while nobody says who is there it is asked every five seconds; once it is over, no more', async (t) => {
	const made = looker(t);
	made.session = { status: 0 };
	await made.seconds(30);
	assert.deepEqual([made.asked, made.opened], [6, []]);
	made.stop();
	made.session = { status: 200 };
	await made.seconds(60);
	assert.deepEqual([made.asked, made.opened], [6, []]);
});

test('nobody there, a proxy without a server and a server that is too busy come back; what is refused does not', () => {
	assert.deepEqual([0, 502, 503, 504].map((status) => comesBack({ status })), [true, true, true, true]);
	assert.deepEqual([401, 404, 410, 500].map((status) => comesBack({ status })), [false, false, false, false]);
});

test('a module that was not fetched did not come; one that fails by itself says how', async () => {
	for (const words of ['Failed to fetch dynamically imported module: http://cairn.test/x.js',
		'error loading dynamically imported module: http://cairn.test/x.js', 'Importing a module script failed.'])
		assert.equal(await loaded(() => Promise.reject(new TypeError(words))), null, words);
	await assert.rejects(loaded(() => import('data:text/javascript,null.x')), TypeError);
	assert.equal((await loaded(() => import('data:text/javascript,export const x = 1'))).x, 1);
});
