/*
 * A click is lost when what it began on is not there at its end: while something within the node is pressed, what would
 * be drawn again waits. `whenFree` is called when it may be; what `except` matches (a handle that is dragged) does not
 * count. Gives isPressed().
 */

const ENDS = ['pointerup', 'pointercancel'];

export function pressGuard(node, whenFree, except = null) {
	let isPressed = false;

	/* The click comes after the button went up. */
	function letGo() {
		for (const type of ENDS) removeEventListener(type, letGo);
		setTimeout(() => {
			isPressed = false;
			whenFree();
		});
	}

	node.addEventListener('pointerdown', (event) => {
		if (event.button || (except && event.target.closest(except))) return;
		isPressed = true;
		for (const type of ENDS) addEventListener(type, letGo);
	});
	return () => isPressed;
}
