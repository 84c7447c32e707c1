/* Which sizes panels may have. Pure. */

import { HEIGHTS, WIDTHS } from './layout.js';

const STEP_PX = 20; /* heights are a number of these */

const held = (value, [least, most]) => Math.max(least, Math.min(most, value));

export const heldHeight = (px) => held(Math.round(px / STEP_PX) * STEP_PX, HEIGHTS);
export const heldWidth = (columns) => held(Math.round(columns), WIDTHS);
