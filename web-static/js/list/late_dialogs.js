/* What is asked before something is changed, loaded when it is. */

export { correctState, deleteRun, editTags, endWriter, moveRun, rename, showNotes, stopRun } from '../run/actions.js';
export { showAttempt } from '../run/attempt_dialog.js';
export { showLeftOut } from '../run/left_out_dialog.js';
export { showResume } from './resume_dialog.js';
export { askEdited } from './edit_conflict.js';
export { askMove } from './move_dialog.js';
export { askColor } from './color_dialog.js';
export { askGroup, askName, askNotes, askRemove, askStop, askTags } from './run_dialogs.js';
export { formDialog } from '../ui/form_dialog.js';
export { askCopyView } from './view_copy.js';
export { askConflict } from './view_conflict.js';
