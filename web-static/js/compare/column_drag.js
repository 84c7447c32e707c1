/* Columns that are dragged by their heads to the place of another. Runs stand among runs, groups among groups. */

const OVER = 'drop';

/*
 * head: a columnheader; column: what it is of; place: shared by the heads of a table; move(id, id of the other); ended()
 * when it was let go.
 */
export function draggedBy(head, column, { place, move, ended }) {
	const isMeant = () => place.dragged && place.dragged.id !== column.id && Boolean(place.dragged.isGroup) === Boolean(column.isGroup);
	const unmark = () => head.classList.remove(OVER);
	head.draggable = true;
	head.addEventListener('dragstart', (event) => {
		place.dragged = column;
		event.dataTransfer.effectAllowed = 'move';
		event.dataTransfer.setDragImage(head, 0, 0);
	});
	head.addEventListener('dragend', () => {
		place.dragged = null;
		ended();
	});
	head.addEventListener('dragover', (event) => {
		if (!isMeant()) return;
		event.preventDefault();
		head.classList.add(OVER);
	});
	head.addEventListener('dragleave', (event) => head.contains(event.relatedTarget) || unmark());
	head.addEventListener('drop', (event) => {
		unmark();
		if (!isMeant()) return;
		event.preventDefault();
		move(place.dragged.id, column.id);
	});
	return head;
}
