/* Keys by the part before their last slash, and how many panels are shown at first. Pure. */

export const CLOSED_ABOVE = 60; /* panels: so large a section is closed until it is opened by hand */
export const OPEN_MOST = 240; /* panels that are open at first; sections after them are closed until they are opened by hand */
export const FIRST_SHOWN = 12;
export const MORE_SHOWN = 40;

export const byName = new Intl.Collator('en', { numeric: true }).compare;

export const prefixOf = (key) => key.slice(0, Math.max(0, key.lastIndexOf('/')));
