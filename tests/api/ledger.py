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
        self.stored = set()  # the same key: not answered, but a later join said that it is stored
        self.unsent = set()  # the same key: not answered, and a later join said that it never will be
        self.contradictions = []

    @staticmethod
    def rows(writer, session, batch, count, clock=None):
        """The history of one batch; `clock`: the time that the writer believes it is."""
        rows = [{"w": writer, "s": session, "b": batch, "i": i, "v": batch + i / 100} for i in range(count)]
        return rows if clock is None else [{**row, "_timestamp": clock, "clock": clock} for row in rows]

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
            if "clock" in row and row["_timestamp"] != row["clock"]:
                yield f"row {name} has the time {row['_timestamp']}, was sent with {row['clock']}"
        for key, (first, count) in self.told.items():
            for i in range(count):
                if at.get((*key, i)) != first + i:
                    yield f"row {(*key, i)} was acknowledged at {first + i}, is at {at.get((*key, i))}"
        for key, count in self.sent.items():
            found = sum((*key, i) in at for i in range(count))
            if found not in (0, count):
                yield f"batch {key} is stored in part: {found} of {count}"
            if found and key in self.unsent or key in self.stored and found < count:
                yield f"batch {key}: a join said the opposite of what is stored"
        yield from self.out_of_order(rows)

    @staticmethod
    def out_of_order(rows):
        """A writer's rows stand in the order it sent them in."""
        before = {}
        for row in rows:
            place = row["s"], row["b"], row["i"]
            if place <= before.get(row["w"], (0, 0, 0)):
                yield f"row {(row['w'], *place)} stands behind {before[row['w']]}"
            before[row["w"]] = place

    def check(self, rows):
        faults = list(self.faults(rows))
        assert not faults, f"{len(faults)} faults: {faults[:10]}"
        return len(rows)
