/* As browsers say that a module, or one that it needs, was not fetched: Chromium, Firefox, Safari. */
const NOT_FETCHED = /dynamically imported module|importing a module script failed/i;

/* The module that read() imports; null: it did not come, as where there is no server. One that fails by itself throws. */
export async function loaded(read) {
	try {
		return await read();
	} catch (fault) {
		if (fault instanceof TypeError && NOT_FETCHED.test(fault.message)) return null;
		throw fault;
	}
}
