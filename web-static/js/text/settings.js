/* Settings of a team or user: members, quota, deleted projects. */

export const text = {
	members: {
		head: (entity) => `Settings of ${entity}`,
		title: 'Members',
		columns: ['Name', 'Role', 'Since'],
		roleNames: { viewer: 'viewer', member: 'member', admin: 'admin' },
		roles: { viewer: 'Viewer: can read', member: 'Member: can read, log, edit and delete runs', admin: 'Admin: can also manage projects and members' },
		roleOf: (name, role) => `Role of ${name}: ${role}`,
		you: '(you)',
		name: 'Name of the user',
		role: 'Role',
		add: 'Add',
		added: (name) => `${name} is a member now.`,
		noUser: 'Enter the name of a user.',
		remove: 'Remove',
		removeOf: (name) => `Remove ${name}`,
		removeTitle: (name) => `Remove ${name}?`,
		removeHow: (entity) => `They lose access to private projects of ${entity}. Their runs are kept.`,
		removeSelf: (entity) => `You lose access to private projects of ${entity}, and only another admin can add you again.`,
		removed: (name) => `${name} was removed.`,
		onlyAdmins: (entity) => `Admins of ${entity} manage its members.`,
		noTeam: (name) => `${name} is a user, not a team, and has no other members. To share projects, an admin of the `
			+ 'server creates a team, under Teams or on its host:',
		makeTeam: 'cairnd team add TEAM\ncairnd team member add TEAM NAME --role admin',
	},

	quota: {
		title: 'Storage',
		stored: (entity) => `All projects of ${entity}`,
		deleted: 'Deleted, restorable',
		limit: (entity) => `Quota of ${entity}`,
		noLimit: 'none',
		how: 'When the quota is reached, new runs and files are refused. Running runs continue.',
		onlyAdmins: 'Admins of the server set the quota.',
		kind: 'Quota',
		kinds: [['standard', 'Server default'], ['none', 'None'], ['own', 'Own quota']],
		size: 'GiB',
		sizeWrong: 'Enter a number above 0.',
	},

	deletedProjects: {
		title: 'Deleted projects',
		columns: ['Project', 'Stored', 'Can be restored until', ''],
		none: 'No projects to restore.',
		restore: 'Restore',
		restoreOf: (name) => `Restore ${name}`,
	},
};
