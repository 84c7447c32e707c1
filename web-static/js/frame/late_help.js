/* What is loaded when somebody looks for something, or copies by hand. */

export { copyByHand } from '../ui/copy_by_hand.js';
export { openJump } from './jump.js';
export { openKeyMap } from './key_map.js';
