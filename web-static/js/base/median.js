/* The middle of numbers, none of which is NaN. Pure. */

/* The k-th least of the first `count` numbers, which change their places: before it is none that is greater. */
function select(numbers, count, k) {
	let [low, high] = [0, count - 1];
	while (low < high) {
		const pivot = numbers[(low + high) >> 1];
		let [i, j] = [low, high];
		while (i <= j) {
			while (numbers[i] < pivot) i++;
			while (numbers[j] > pivot) j--;
			if (i > j) break;
			const other = numbers[i]; /* plainly: this is what takes long */
			numbers[i++] = numbers[j];
			numbers[j--] = other;
		}
		if (k <= j) high = j;
		else if (k >= i) low = i;
		else break;
	}
	return numbers[k];
}

export function medianOf(numbers, count = numbers.length) {
	if (!count) return NaN;
	const upper = select(numbers, count, count >> 1);
	if (count % 2) return upper;
	let lower = numbers[0];
	for (let at = 1; at < count >> 1; at++) if (numbers[at] > lower) lower = numbers[at];
	return (upper + lower) / 2;
}
