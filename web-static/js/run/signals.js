/* How a program ended, by its exit code: shells add 128 to the number of a signal, Python's subprocess negates it. */

const NAMES = { 1: 'SIGHUP', 2: 'SIGINT', 3: 'SIGQUIT', 4: 'SIGILL', 5: 'SIGTRAP', 6: 'SIGABRT', 7: 'SIGBUS', 8: 'SIGFPE',
	9: 'SIGKILL', 10: 'SIGUSR1', 11: 'SIGSEGV', 12: 'SIGUSR2', 13: 'SIGPIPE', 14: 'SIGALRM', 15: 'SIGTERM', 24: 'SIGXCPU',
	25: 'SIGXFSZ' };

/* {number, name} of the signal that an exit code stands for, or null. */
export function signalOf(code) {
	const number = code < 0 ? -code : code - 128;
	return NAMES[number] ? { number, name: NAMES[number] } : null;
}
