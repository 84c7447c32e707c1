/* What is loaded when somebody looks for something. */

export { openJump } from './jump.js';
export { openKeyMap } from './key_map.js';
