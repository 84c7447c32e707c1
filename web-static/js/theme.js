/*
 * Light, dark, or as the system has it; known before anything is painted, so no module. Who chooses writes
 * localStorage and raises 'theme-chosen'; who paints from the colours of CSS listens to 'theme'.
 */
(function follow() {
	const system = matchMedia('(prefers-color-scheme: dark)');

	function chosen() {
		try {
			return localStorage.getItem('cairn-theme');
		} catch {
			return null; /* storage is switched off */
		}
	}

	function show(theme) {
		if (document.documentElement.dataset.theme === theme) return;
		document.documentElement.dataset.theme = theme;
		dispatchEvent(new Event('theme'));
	}

	function apply() {
		const own = chosen();
		show(own === 'light' || own === 'dark' ? own : system.matches ? 'dark' : 'light');
	}

	system.addEventListener('change', apply);
	addEventListener('storage', apply);
	addEventListener('theme-chosen', apply);
	addEventListener('beforeprint', () => show('light'));
	addEventListener('afterprint', apply);
	apply();
}());
