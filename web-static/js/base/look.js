/* One's own looks as they are kept in this browser: what theme.js reads. The standard is kept by nothing. */

export function chosenLook(name, standard) {
	try {
		return localStorage.getItem(`cairn-${name}`) || standard;
	} catch {
		return standard;
	}
}

export function chooseLook(name, value, standard) {
	try {
		if (value === standard) localStorage.removeItem(`cairn-${name}`);
		else localStorage.setItem(`cairn-${name}`, value);
	} catch { /* storage is switched off: it stays as it comes */ }
	dispatchEvent(new Event('look-chosen'));
}
