/* The module that read() imports; null: it did not come, as where there is no server. */
export async function loaded(read) {
	try {
		return await read();
	} catch (fault) {
		if (fault instanceof TypeError) return null;
		throw fault;
	}
}
