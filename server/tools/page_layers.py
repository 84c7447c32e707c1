"""Which modules that several entries need come together, as one file.

An entry that needs a module of a layer imports the whole of it and whatever that needs, so all of a layer is needed by the
same entries. Modules that the same places need are a layer; where a place would ask for too many files, the two layers of
it are made one that let the other places load the least that they do not need, and first of all those that load the most.
"""
import itertools

PAGES = "js/pages/"
# Of a place: its entries and layers, beside main.js, which is one file with what it needs. With the document, its theme, its
# style sheet and main.js a place asks for as many as a first paint may wait for, 12.
FILES_MOST = 8


class Graph:
    """Which module imports which, at once or when it is used, and how many bytes of each there are."""

    def __init__(self, main, inputs, output):
        self.main = main
        self.imports = {path: one["imports"] for path, one in inputs.items()}
        self.sizes = {path: output.get(path, {}).get("bytesInOutput", 0) for path in inputs}
        self.entries = [main, *sorted({path for one in inputs for path in self.late(one)})]

    def late(self, path):
        return [found["path"] for found in self.imports[path] if found["kind"] == "dynamic-import"]

    def at_once(self, path):
        return [found["path"] for found in self.imports[path] if found["kind"] == "import-statement"]

    def needs(self, entry):
        seen, todo = set(), [entry]
        while todo:
            path = todo.pop()
            if path not in seen:
                seen.add(path)
                todo += self.at_once(path)
        return seen

    def places(self):
        """What is loaded together: a page, and with a tab its page. {last of them: all of them}"""
        pages = [entry for entry in self.entries if entry.startswith(PAGES)]
        above = {late: page for page in pages for late in self.late(page) if late in pages}
        return {page: {page, above.get(page, page)} for page in pages if page not in above.values()}


class Layers:
    """{those that load it: [its modules]}; who: of pages the places, of what is loaded later the entries."""

    def __init__(self, graph):
        self.graph, self.places, self.layers, self.weights = graph, graph.places(), {}, {}

    def users(self, entries):
        return frozenset(place for place, parts in self.places.items() if parts & set(entries)) or frozenset(entries)

    def put(self, path, entries):
        self.layers.setdefault(self.users(entries), []).append(path)

    def size(self, users):
        return sum(self.graph.sizes[path] for path in self.layers[users])

    def weigh(self):
        """The more a place loads, the more a byte that it does not need counts."""
        for place in self.places:
            self.weights[place] = sum(map(self.size, self.of(place)))

    def cost(self, pair):
        """Bytes that come along where they are not needed."""
        one, other = pair
        first, second = (sum(self.weights[place] for place in more) for more in (other - one, one - other))
        return self.size(one) * first + self.size(other) * second

    def of(self, place):
        return [users for users in self.layers if place in users]

    def are_too_many(self, place):
        return len(self.places[place]) + len(self.of(place)) > FILES_MOST

    def merge(self, pair):
        """Who loads a module loads what it needs: that has them all as its users, too."""
        one, other = pair
        todo = [(path, one | other) for path in self.layers[one] + self.layers[other]]
        where = {path: users for users, paths in self.layers.items() for path in paths}
        while todo:
            path, users = todo.pop()
            if path in where and not where[path] >= users:
                where[path] |= users
                todo += [(needed, where[path]) for needed in self.graph.at_once(path)]
        self.layers = {}
        for path, users in where.items():
            self.layers.setdefault(users, []).append(path)

    def make_few(self):
        self.weigh()
        while full := [place for place in self.places if self.are_too_many(place)]:
            pairs = {pair for place in full for pair in itertools.combinations(self.of(place), 2)}
            self.merge(min(pairs, key=lambda pair: (self.cost(pair), sorted(map(sorted, pair)))))


def closed(layers, graph, wanted):
    """Those of the layers that have some of the paths, and those that have what these need, and so on."""
    found, todo = [], set(wanted)
    while more := [name for name, paths in layers.items() if name not in found and todo & set(paths)]:
        found += more
        todo |= {needed for name in more for path in layers[name] for needed in graph.at_once(path)}
    return sorted(found)


def layers_of(graph, needed):
    """[[module]], the first is what main.js needs, and itself. What is imported in both ways stays an entry. A page with
    tabs is in what all of them load: of its own it would be one file more that is not packed with others."""
    layers = Layers(graph)
    for page in set().union(*layers.places.values()) - set(layers.places):
        layers.put(page, [page])
    for path in sorted(set(graph.imports) - set(graph.entries) - needed[graph.main]):
        entries = [entry for entry in graph.entries if path in needed[entry]]
        if len(entries) > 1:
            layers.put(path, entries)
    layers.make_few()
    return [sorted(needed[graph.main] - set(graph.entries)) + [graph.main], *layers.layers.values()]
