/* The frame around every page: its head, what finds things, the map of keys. */

export const text = {
	header: {
		home: 'Cairn, all projects',
		place: 'Breadcrumb',
		project: 'Project',
		skip: 'Skip to the content',
		isPrivate: 'Only members can see this project',
		places: [['workspace', 'Workspace', '', 'w'], ['table', 'Runs', 'table', 'r'], ['compare', 'Compare', 'compare', 'c'],
			['sweeps', 'Sweeps', 'sweeps', 's'], ['artifacts', 'Artifacts', 'artifacts', 'a'], ['settings', 'Settings', 'settings', 'e']],
		theme: 'Theme',
		themes: [['system', 'As the system', 'system'], ['light', 'Light', 'sun'], ['dark', 'Dark', 'moon']],
		account: (user) => `Account of ${user}`,
		signedInAs: (user) => `Signed in as ${user}`,
		signOut: 'Sign out',
		signIn: 'Sign in',
	},

	live: {
		live: () => 'Live',
		behind: () => 'Catching up',
		broken: (seconds) => seconds ? `Reconnecting in ${seconds} s` : 'Reconnecting',
		offline: (seconds, time) => time ? `Offline, data of ${time}` : 'Offline',
		poll: () => 'Read every 10 s',
		heard: (time) => `Last heard at ${time}`,
	},

	jump: {
		button: 'Search or jump',
		key: 'Ctrl K',
		head: 'Search or jump',
		label: 'Projects, runs, metrics, pages, actions',
		found: 'Results',
		none: 'Nothing found.',
		project: 'project',
		run: 'run',
		metric: 'metric',
		writer: 'label',
		page: 'page',
		action: 'action',
		projects: 'All projects',
		also: { settings: 'settings account', admin: 'admin settings server' },
	},

	keyMap: {
		head: 'Keyboard shortcuts',
		open: 'Keyboard shortcuts',
		single: 'Single keys',
		always: 'They are off while you type; Ctrl K always works.',
		theme: 'Toggle theme',
		search: 'Search or filter of the page',
		link: 'Copy the link',
		jump: 'Search or jump',
		go: (place) => `Go to ${place}`,
	},

	settings: {
		own: 'Your settings',
		ownPages: [['profile', 'Profile'], ['keys', 'Keys']],
		server: 'This server',
		serverPages: [['server', 'Server'], ['users', 'Users'], ['teams', 'Teams'], ['audit', 'Audit log']],
		members: (entity) => `Settings of ${entity}`,
		open: 'Settings',
	},

	draftGone: 'This link has expired. Links are kept for 90 days. The default page is shown.',
};
