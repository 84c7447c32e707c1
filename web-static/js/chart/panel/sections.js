/* Keys by what stands before their last slash. Pure. */

export const CLOSED_ABOVE = 60; /* panels: so large a section is closed until somebody opens it */
export const OPEN_MOST = 240; /* panels that stand open at first; sections after them are closed until somebody opens one */
export const FIRST_SHOWN = 12;
export const MORE_SHOWN = 40;

export const byName = new Intl.Collator('en', { numeric: true }).compare;

/* Sorts the keys that the SDK itself logs ("_runtime") after all others. */
export const byKey = (a, b) => a.startsWith('_') - b.startsWith('_') || byName(a, b);

export const prefixOf = (key) => key.slice(0, Math.max(0, key.lastIndexOf('/')));
