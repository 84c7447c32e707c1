/*
 * One's own looks: light, dark, or as the system has it; which colours lines have; how high rows are, and whose clock
 * times are told by. Known before anything is painted, so no module. Who chooses writes localStorage and raises
 * 'look-chosen'; who paints from the colours of CSS listens to 'theme', who lays rows to 'rows', who tells times to
 * 'times'.
 */
(function follow() {
	const system = matchMedia('(prefers-color-scheme: dark)');

	function chosen(name) {
		try {
			return localStorage.getItem(`cairn-${name}`);
		} catch {
			return null; /* storage is switched off */
		}
	}

	function show(name, value, event = name) {
		const looks = document.documentElement.dataset;
		if ((looks[name] || '') === value) return;
		looks[name] = value;
		dispatchEvent(new Event(event));
	}

	function apply() {
		const own = chosen('theme');
		show('theme', own === 'light' || own === 'dark' ? own : system.matches ? 'dark' : 'light');
		show('palette', chosen('palette') === 'strong' ? 'strong' : '', 'theme');
		show('rows', chosen('rows') === 'roomy' ? 'roomy' : '');
		show('times', chosen('times') === 'utc' ? 'utc' : '');
	}

	system.addEventListener('change', apply);
	addEventListener('storage', apply);
	addEventListener('look-chosen', apply);
	addEventListener('beforeprint', () => show('theme', 'light'));
	addEventListener('afterprint', apply);
	apply();
}());
