/* Builds elements. Data only ever becomes text nodes and attributes, never markup. */

export function append(node, ...children) {
	for (const child of children.flat(Infinity)) {
		if (child === undefined || child === null || child === false) continue;
		node.append(child instanceof Node ? child : String(child));
	}
	return node;
}

export function el(tag, props, ...children) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(props || {})) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
		else node.setAttribute(name, value === true ? '' : value);
	}
	return append(node, children);
}

export function replace(node, ...children) {
	node.replaceChildren();
	return append(node, children);
}

/* A label above what it names. */
export function field(text, control) {
	return el('div', { class: 'field' }, el('label', { for: control.id }, text), control);
}
