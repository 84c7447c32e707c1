"""Versions of artifacts as their writers were told of them, and what is wrong with those that are there."""
import collections
import threading


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.told = collections.defaultdict(dict)  # by collection and version: {path: content}
        self.contradictions = []

    def note(self, collection, version, files):
        """Writers may be told of one version only if it has the same files."""
        with self.lock:
            before = self.told[collection].setdefault(version, files)
            if before is not files and before != files:
                self.contradictions.append(f"{collection}:{version} was acknowledged for two contents")

    def count(self):
        with self.lock:
            return sum(map(len, self.told.values()))

    def collections(self):
        return list(self.told)

    def versions(self, collection):
        return self.told[collection]

    def faults(self, collection, there):
        """`there`: the versions that the server lists, in order."""
        yield from self.contradictions
        if there != [f"v{i}" for i in range(len(there))]:
            yield f"the numbers of {collection} are {there}"
        told = self.told[collection].keys()
        if lost := sorted(told - set(there)):
            yield f"acknowledged and not there: {collection} {lost}"
        if more := sorted(set(there) - told):
            yield f"there and never acknowledged: {collection} {more}"

    def check(self, collection, there):
        faults = list(self.faults(collection, there))
        assert not faults, f"{len(faults)} faults: {faults[:10]}"
