/* Since when the step of a run is known to be what it is; isSeen: it was seen to move then. */
export function noteStep(before, step, now) {
	return before?.step === step ? before : { step, since: now, isSeen: Boolean(before) };
}
