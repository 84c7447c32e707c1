import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { makeShapes, makeWindow } from './browser.mjs';

makeWindow();
makeShapes();
mock.timers.enable({ apis: ['setTimeout'] });

/* What a place of toasts does with them. */
Object.assign(Node.prototype, {
	addEventListener(type, listener) { this[`on${type}`] = listener; },
	prepend(node) {
		this.children.unshift(node);
		node.remove = () => this.children.splice(this.children.indexOf(node), 1);
	},
});
Object.defineProperty(Node.prototype, 'lastChild', { get() { return this.children.at(-1); } });
document.body = document.createElement('body');
const { toast } = await import('../../../web-static/js/ui/toast.js');

const seen = () => document.body.lastChild.children.map((one) => one.all('span')[0].said());
const undo = (of) => ({ label: 'Undo', onpick() {}, of });
const pass = () => mock.timers.tick(8000);

test('of lines that only tell the last is seen, and what can be done stays beside them', () => {
	toast('told');
	toast('a was deleted', undo());
	toast('told again');
	assert.deepEqual(seen(), ['told again', 'a was deleted']);
	toast('told at last');
	assert.deepEqual(seen(), ['told at last', 'a was deleted']);
	pass();
	assert.deepEqual(seen(), []);
});

test('several can be undone, each for its time, and what is picked goes alone', () => {
	toast('a was deleted', undo());
	mock.timers.tick(5000);
	toast('b was deleted', undo());
	assert.deepEqual(seen(), ['b was deleted', 'a was deleted']);
	document.body.lastChild.children[0].all('button')[0].onclick();
	assert.deepEqual(seen(), ['a was deleted']);
	mock.timers.tick(3000);
	assert.deepEqual(seen(), []);
	for (const name of 'abcde') toast(name, undo());
	assert.deepEqual(seen(), ['e', 'd', 'c', 'b']);
	pass();
});

test('of one thing only the last change can be undone', () => {
	const layout = {};
	toast('a was deleted', undo());
	toast('one panel went', undo(layout));
	toast('another went', undo(layout));
	assert.deepEqual(seen(), ['another went', 'a was deleted']);
	pass();
});
