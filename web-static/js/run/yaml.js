/* A document as YAML: block style, and JSON's own texts wherever a plain one could be read as something else. */

const PLAIN = /^[A-Za-z_/][A-Za-z0-9_./+ -]*$/;
const WORDS = /^(true|false|yes|no|on|off|null|y|n|nan|inf)$/i;

function scalar(value) {
	if (typeof value !== 'string') return JSON.stringify(value);
	return PLAIN.test(value) && !WORDS.test(value) && value === value.trim() ? value : JSON.stringify(value);
}

function isEmpty(value) {
	return value === null || typeof value !== 'object' || Object.keys(value).length === 0;
}

function lines(value, indent) {
	if (isEmpty(value)) return [`${indent}${scalar(value)}`];
	if (Array.isArray(value)) {
		return value.flatMap((item) => {
			const [first, ...rest] = lines(item, `${indent}  `);
			return [`${indent}- ${first.trimStart()}`, ...rest];
		});
	}
	return Object.entries(value).flatMap(([key, item]) => isEmpty(item)
		? [`${indent}${scalar(key)}: ${scalar(item)}`]
		: [`${indent}${scalar(key)}:`, ...lines(item, `${indent}  `)]);
}

export function yaml(document) {
	return `${lines(document, '').join('\n')}\n`;
}
