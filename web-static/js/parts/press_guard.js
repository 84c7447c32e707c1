/*
 * A click is lost when what it began on is not there at its end: while something within the node is pressed, what would be
 * drawn anew waits. `released` is called when it may be; what `except` matches (a handle that is dragged) does not count.
 */

export function pressGuard(node, released, except = null) {
	const ends = new AbortController();
	let isPressed = false;

	function press(event) {
		isPressed = !(except && event.target.closest(except));
	}

	/* The click comes after the button went up. */
	function letGo() {
		if (!isPressed) return;
		setTimeout(() => {
			isPressed = false;
			released();
		});
	}

	node.addEventListener('pointerdown', press, { signal: ends.signal });
	for (const type of ['pointerup', 'pointercancel']) addEventListener(type, letGo, { signal: ends.signal });
	return { isPressed: () => isPressed, stop: () => ends.abort() };
}
