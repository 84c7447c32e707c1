/* Figures of a server, as it tells them to Prometheus: the sum of each name's samples. */

const SAMPLE = /^([a-z_]+)(?:\{.*\})? (\S+)$/;

export function figuresOf(text) {
	const figures = new Map();
	for (const line of text.split('\n')) {
		const [, name, value] = line.match(SAMPLE) || [];
		if (name) figures.set(name, (figures.get(name) || 0) + Number(value));
	}
	return figures;
}
