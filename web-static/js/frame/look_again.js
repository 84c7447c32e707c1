/*
 * A page that could not be shown is opened again by itself, as soon as the server answers. What fails then, too, is
 * opened more and more seldom, and nothing is asked before the time that the server named.
 */

import { ask } from '../api.js';
import { AGAIN_MS, isTabHidden, whenTabVisible } from '../base/reread.js';

const MOST_MS = 60000;
const COMES_BACK = [0, 502, 503, 504]; /* no server, or too busy */

export const comesBack = ({ status }) => COMES_BACK.includes(status);

/* reopen(): opens the page that was asked for. */
export function lookAgain(reopen, askSession = () => ask('GET', 'session')) {
	let vain = 0; /* openings that failed, one after another */

	const waitMs = ({ wait = 0 }) => Math.min(MOST_MS, Math.max(AGAIN_MS * 2 ** vain, wait * 1000));

	return {
		/* The page failed with this answer; gives what ends the looking. */
		after(failed) {
			let timer = setTimeout(look, waitMs(failed));
			let isOver = false;

			async function look() {
				if (isOver) return;
				if (isTabHidden()) return void whenTabVisible(look);
				const answer = await askSession();
				if (isOver) return;
				if (answer.status !== 200) {
					timer = setTimeout(look, waitMs(answer));
					return;
				}
				isOver = true;
				vain++;
				reopen();
			}

			return () => {
				isOver = true;
				clearTimeout(timer);
			};
		},
		/* A page is shown, or the user asked for one. */
		forget() {
			vain = 0;
		},
	};
}
