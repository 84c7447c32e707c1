/*
 * Writes characters that are not shown, or that change the direction of the text around them, as escapes: \u202e. They are
 * those that the cairn command escapes for a terminal, without tab and line feeds, which parts of the page lay out. Pure.
 */

const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const BREAKS = /[\t\n\r]/g;

const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const visible = (text) => text.replace(UNSEEN, escaped);

/* The same for a name that may have line feeds, as a file's may. */
export const visibleName = (name) => visible(name).replace(BREAKS, escaped);
