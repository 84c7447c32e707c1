/*
 * Builds elements. Data only ever becomes text nodes and attributes, never markup. Text that people read has escapes for
 * characters that are not shown, or that change the direction of the text around them.
 */

import { visible } from './visible.js';

const READ = new Set(['title', 'alt', 'placeholder', 'label', 'aria-label', 'aria-valuetext']); /* attributes that people read */
const SVG = 'http://www.w3.org/2000/svg';

export function append(node, ...children) {
	for (const child of children.flat(Infinity)) {
		if (child === undefined || child === null || child === false) continue;
		node.append(child instanceof Node ? child : visible(String(child)));
	}
	return node;
}

/* Inline styles are forbidden to the page; single properties may be set. */
function setStyle(node, style) {
	for (const [name, value] of Object.entries(style)) node.style.setProperty(name, value);
}

function fill(node, props, children) {
	for (const [name, value] of Object.entries(props || {})) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
		else if (name === 'style') setStyle(node, value);
		else node.setAttribute(name, value === true ? '' : READ.has(name) ? visible(String(value)) : value);
	}
	return append(node, children);
}

export function el(tag, props, ...children) {
	return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
	return fill(document.createElementNS(SVG, tag), props, children);
}

export function replace(node, ...children) {
	node.replaceChildren();
	return append(node, children);
}

/* Changes the text only if it differs, so that the browser does no needless layout and painting. */
export function setText(node, words) {
	const shown = visible(String(words));
	if (node.textContent !== shown) node.textContent = shown;
}

/* Returns text with every character that it has, such as a line of a console. */
export const asWritten = (text) => document.createTextNode(text);

/* These and no others, in this order: those that were there are not taken out, so focus and selection in them stay. */
export function arrange(node, children) {
	const kept = new Set(children);
	for (const one of [...node.childNodes]) if (!kept.has(one)) one.remove();
	let at = node.firstChild;
	for (const one of children) {
		if (one === at) at = at.nextSibling;
		else node.insertBefore(one, at);
	}
	return node;
}

/* Like replace, but keeps nodes that look the same: one may have the focus, or be pressed. */
export function refill(node, ...children) {
	const now = append(document.createDocumentFragment(), children);
	const [before, after] = [node.childNodes, now.childNodes];
	const isSame = before.length === after.length && [...before].every((one, at) => one.isEqualNode(after[at]));
	if (!isSame) node.replaceChildren(now);
	return node;
}

/* The same place within what is drawn now; where that is something else, the whole. */
function twin(focused, old, now) {
	if (focused === old) return now;
	const parent = twin(focused.parentElement, old, now);
	const found = parent.children[[...focused.parentElement.children].indexOf(focused)];
	return found?.tagName === focused.tagName ? found : now;
}

/*
 * Puts `now` into the place of `old`, with the focus, and gives back which of them stands there: what looks the same,
 * or has its menu open, stays, so what it does goes by names and not by what it knew when it was drawn.
 */
export function renew(old, now) {
	const focused = document.activeElement;
	if (old.isEqualNode(now) || old.querySelector('[aria-haspopup][aria-expanded=true]')) return old;
	const hadFocus = old.contains(focused);
	old.replaceWith(now);
	if (hadFocus) twin(focused, old, now).focus({ preventScroll: true });
	return now;
}

/* A label above what it names. */
export function field(text, control) {
	return el('div', { class: 'labelled' }, el('label', { for: control.id }, text), control);
}

/* The name of the page's colours: when it changes, what is drawn with them is drawn again. */
export function themeNow() {
	const { theme, palette } = document.documentElement.dataset;
	return `${theme} ${palette || ''}`;
}

/* Returns the value of a custom property of the theme, for canvases. */
export function css(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
