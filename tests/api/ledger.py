"""What every writer was told, and the proof that the server kept its word.

A writer notes each batch before it sends it and each answer when it has it. Afterwards the run is read
whole, and must hold every acknowledged row once, no row twice, and nothing that nobody sent.
"""
import threading


class Ledger:
    """Rows are told apart by (`w`, `b`, `i`): writer, batch, index, which each row carries."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sent = {}   # (writer, session, batch): number of rows
        self.told = {}   # the same key: (row_first, rows)
        self.contradictions = []

    @staticmethod
    def rows(writer, session, batch, count):
        """The history of one batch."""
        return [{"w": writer, "s": session, "b": batch, "i": i, "v": batch + i / 100} for i in range(count)]

    def note_sent(self, writer, session, batch, count):
        with self.lock:
            self.sent[writer, session, batch] = count

    def note_told(self, writer, session, batch, answer):
        """Every acknowledgement of one batch must be the same."""
        key, told = (writer, session, batch), (answer["row_first"], answer["rows"])
        with self.lock:
            before = self.told.setdefault(key, told)
            if before != told:
                self.contradictions.append((key, before, told))

    def faults(self, rows):
        """All that is wrong with the rows of the run, as text."""
        yield from (f"batch {key}: told {one}, then {other}" for key, one, other in self.contradictions)
        numbers = [row["_row"] for row in rows]
        if numbers != list(range(len(rows))):
            yield f"row numbers are not 0 to {len(rows) - 1}"
        at = {}
        for row in rows:
            name = row["w"], row["s"], row["b"], row["i"]
            if name in at:
                yield f"row {name} stands at {at[name]} and at {row['_row']}"
            at[name] = row["_row"]
            if row["i"] >= self.sent.get(name[:3], 0) or row["v"] != row["b"] + row["i"] / 100:
                yield f"row {name} was never sent so"
        for key, (first, count) in self.told.items():
            for i in range(count):
                if at.get((*key, i)) != first + i:
                    yield f"row {(*key, i)} was acknowledged at {first + i}, is at {at.get((*key, i))}"
        for key, count in self.sent.items():
            found = sum((*key, i) in at for i in range(count))
            if found not in (0, count):
                yield f"batch {key} is stored in part: {found} of {count}"

    def check(self, rows):
        faults = list(self.faults(rows))
        assert not faults, f"{len(faults)} faults: {faults[:10]}"
        return len(rows)
