/* As much of a browser as pure modules look at. */

export function makeWindow(address = 'http://cairn.test/') {
	const events = new EventTarget();
	const entries = [{ state: null, url: new URL(address) }];
	let at = 0;
	const location = new Proxy({}, { get: (_, name) => entries[at].url[name] });
	const history = {
		get state() { return entries[at].state; },
		replaceState: (state, _, url) => { entries[at] = { state, url: new URL(url || entries[at].url, entries[at].url) }; },
		pushState: (state, _, url) => {
			entries.splice(at + 1, Infinity, { state, url: new URL(url, entries[at].url) });
			at++;
		},
		go: (steps) => {
			at += steps;
			events.dispatchEvent(new Event('popstate'));
		},
		back: () => history.go(-1),
	};
	const storage = new Map();
	const document = Object.assign(new EventTarget(), { querySelectorAll: () => [], querySelector: () => null });
	Object.assign(globalThis, {
		location, history, document,
		addEventListener: events.addEventListener.bind(events),
		dispatchEvent: events.dispatchEvent.bind(events),
		localStorage: { getItem: (name) => storage.get(name) ?? null, setItem: (name, value) => storage.set(name, value) },
	});
	return { history, document };
}

/* Nodes that know what they were made of: `at` their attributes, all(tag), said(). */
class Shape {
	at = {};
	style = { setProperty: (name, value) => { this.at[name] = value; } };
	dataset = {};
	children = [];
	constructor(tag) { this.tag = tag; }
	setAttribute(name, value) { this.at[name] = value; }
	get dateTime() { return this.at.datetime; }
	get textContent() { return this.said(); }
	set textContent(words) { this.children = [words]; }
	replaceChildren(...children) { this.children = children; }
	append(...children) { this.children.push(...children); }
	all(tag) { return this.children.flatMap((one) => one.tag ? [...one.tag === tag ? [one] : [], ...one.all(tag)] : []); }
	said() { return this.children.map((one) => one.tag ? one.said() : one).join(''); }
}

export function makeShapes() {
	globalThis.Node = Shape;
	document.createElementNS = (_, tag) => new Shape(tag);
	document.createElement = (tag) => new Shape(tag);
}
