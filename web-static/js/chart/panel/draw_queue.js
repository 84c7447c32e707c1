/* At most one panel is drawn in a frame, in the order in which they asked. */

const waiting = new Set();
let frame = 0;

function one() {
	const [draw] = waiting;
	waiting.delete(draw);
	frame = waiting.size > 0 ? requestAnimationFrame(one) : 0;
	draw();
}

export function drawSoon(draw) {
	waiting.add(draw);
	if (!frame) frame = requestAnimationFrame(one);
}

export function drawNever(draw) {
	waiting.delete(draw);
	if (waiting.size > 0 || !frame) return;
	cancelAnimationFrame(frame);
	frame = 0;
}
