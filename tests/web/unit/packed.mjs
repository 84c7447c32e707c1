/* Pieces of series as the server packs them. */

/* columns: {name: numbers} */
export function packed(head, columns = {}) {
	const names = Object.keys(columns);
	let offset = 0;
	const list = names.map((name) => {
		const entry = { name, type: 'float64', offset, count: columns[name].length };
		offset += columns[name].length * 8;
		return entry;
	});
	const plain = new TextEncoder().encode(JSON.stringify(names.length ? { ...head, columns: list } : head));
	const text = new Uint8Array(Math.ceil(plain.length / 8) * 8).fill(32);
	text.set(plain);
	const bytes = new Uint8Array(16 + text.length + offset);
	const view = new DataView(bytes.buffer);
	bytes.set(new TextEncoder().encode('CRN1'));
	view.setUint32(4, text.length, true);
	view.setBigUint64(8, BigInt(offset), true);
	bytes.set(text, 16);
	let at = 16 + text.length;
	for (const name of names) for (const value of columns[name]) view.setFloat64(at, value, true), at += 8;
	return bytes;
}

export function joined(...parts) {
	return Uint8Array.from(parts.flatMap((part) => [...part]));
}
