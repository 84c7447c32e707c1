/*
 * Announces a log to screen readers: nothing unless its end is followed; then the lines that arrive at once, and no
 * more until a while has passed. Lines that are laid out again are not announced.
 */

const REST_MS = 10_000;
const LAID_MS = 1000;

export function logVoice(node) {
	let isFollowing = false;
	let timer = 0;
	let until = 0;

	function set(isHeard) {
		const value = isHeard && isFollowing ? 'polite' : 'off';
		if (node.getAttribute('aria-live') !== value) node.setAttribute('aria-live', value);
	}

	/* Starts a rest of so many milliseconds; if one has begun, the later of the two ends counts. */
	function rest(ms) {
		const end = Date.now() + ms;
		if (timer && end <= until) return;
		clearTimeout(timer);
		until = end;
		timer = setTimeout(() => {
			timer = 0;
			set(true);
		}, ms);
	}

	return {
		/* Before lines are laid out again. */
		quiet() {
			set(false);
			rest(LAID_MS);
		},
		/* Before lines are added. */
		added() {
			set(!timer);
			if (!timer) rest(REST_MS);
		},
		follow(is) {
			isFollowing = is;
			set(!timer || node.getAttribute('aria-live') === 'polite');
		},
		stop: () => clearTimeout(timer),
	};
}
