/* Rows of CSV (RFC 4180) or TSV, of text that comes piece by piece. */

const CELL_MOST = 10000; /* characters that are kept of a cell */

export class DelimitedReader {
	constructor(separator) {
		this.separator = separator;
		this.rows = [];
		this.row = [];
		this.cell = '';
		this.isQuoted = false;
		this.wasQuote = false; /* the last character was a quote within quotes: the end of them, or a quote */
		this.wasReturn = false;
	}

	endCell() {
		this.row.push(this.cell);
		this.cell = '';
		this.wasQuote = false;
	}

	endRow() {
		this.endCell();
		if (this.row.length > 1 || this.row[0]) this.rows.push(this.row);
		this.row = [];
	}

	add(letters) {
		if (this.cell.length < CELL_MOST) this.cell += letters;
	}

	quoted(letter) {
		if (letter === '"') {
			this.isQuoted = false;
			this.wasQuote = true;
		} else {
			this.add(letter);
		}
	}

	plain(letter) {
		const follows = this.wasReturn && letter === '\n';
		this.wasReturn = letter === '\r';
		if (follows) return;
		if (letter === '"' && (this.wasQuote || !this.cell)) {
			if (this.wasQuote) this.add('"');
			this.isQuoted = true;
			this.wasQuote = false;
		} else if (letter === this.separator) {
			this.endCell();
		} else if (letter === '\n' || letter === '\r') {
			this.endRow();
		} else {
			this.add(letter);
		}
	}

	push(text) {
		for (const letter of text) {
			if (this.isQuoted) this.quoted(letter);
			else this.plain(letter);
		}
	}

	/* A last row without an end of line is one. */
	end() {
		if (this.cell || this.row.length || this.wasQuote) this.endRow();
	}
}
