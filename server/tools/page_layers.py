"""Which modules that several entries need come together, as one file.

An entry that needs a module of a layer imports the whole of it and whatever that needs, so all of a layer is needed by the
same users: places, or entries that are imported later. Modules that the same users need are a layer to begin with. Then
two of them become one as long as that costs less than the requests that it saves.
"""
import itertools

PAGES = "js/pages/"
# In no layer, and so a file of its own: what a viewer that is imported later shares with pages that have much more around it.
APART = {"js/base/filter_text.js", "js/base/value_words.js", "js/chart/data/scale.js"}
REQUEST = 2200  # how many bytes that it does not need a user had better load than ask for one more file


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

    def needs(self, *paths):
        seen, todo = set(), list(paths)
        while todo:
            path = todo.pop()
            if path not in seen:
                seen.add(path)
                todo += self.at_once(path)
        return seen

    def places(self):
        """What is loaded together: a page, and with a tab its page. {last of them: all of them}"""
        pages = [entry for entry in self.entries if entry.startswith(PAGES)]
        above = {late: page for page in pages for late in self.late(page) if late.startswith(page.removesuffix(".js") + "_")}
        return {page: {page, above.get(page, page)} for page in pages if page not in above.values()}


class Layers:
    """[(its users, its modules, their bytes)]; of what main.js needs all places are the users."""

    def __init__(self, graph):
        self.graph, self.places = graph, graph.places()
        self.first = graph.needs(graph.main)
        parts = {**{entry: {entry} for entry in graph.entries}, **self.places}
        self.needed = {user: graph.needs(*entries) for user, entries in parts.items()}
        # The more a user loads, the more a byte that it does not need counts.
        self.weights = {user: sum(map(graph.sizes.get, paths)) for user, paths in self.needed.items()}
        found = {frozenset(self.places): set(self.first)}
        for path in sorted(set(graph.imports) - self.first):
            if users := self.users_of(path):
                found.setdefault(users, set()).add(path)
        self.layers = self.listed(found)

    def users_of(self, path):
        """Nobody's is what one entry has to itself. Of a page with tabs the tabs are the users."""
        if path in APART:
            return None
        entries = {entry for entry in self.graph.entries if path in self.needed[entry]}
        places = frozenset(place for place in self.places if path in self.needed[place])
        if path in self.graph.entries:
            return places if path.startswith(PAGES) and path not in self.places else None
        return (places or frozenset(entries)) if len(entries) > 1 else None

    def listed(self, found):
        return [(users, paths, sum(map(self.graph.sizes.get, paths))) for users, paths in found.items()]

    def needs(self):
        """Of each layer those that it needs, by their numbers: they have all of its users."""
        where = {path: at for at, (_, paths, _) in enumerate(self.layers) for path in paths}
        return [{where[path] for path in self.graph.needs(*paths) if path in where} for _, paths, _ in self.layers]

    def cost(self, layers):
        sizes = {}
        for users, size in layers:
            sizes[users] = sizes.get(users, REQUEST) + size
        return sum(size * sum(map(self.weights.get, users)) for users, size in sizes.items())

    def merged(self, pair, needs):
        """The users of each layer when the pair is one."""
        users = self.layers[pair[0]][0] | self.layers[pair[1]][0]
        wider = set().union(*(needs[at] for at in pair))
        return [of | users if at in wider else of for at, (of, _, _) in enumerate(self.layers)]

    def make_few(self):
        sizes = [size for _, _, size in self.layers]
        now = self.cost([(users, size) for users, _, size in self.layers])
        while True:
            needs = self.needs()
            pairs = [pair for pair in itertools.combinations(range(len(self.layers)), 2)
                     if self.layers[pair[0]][0] & self.layers[pair[1]][0]]
            tried = [self.merged(pair, needs) for pair in pairs]
            costs = [self.cost(zip(users, sizes)) for users in tried]
            if not costs or min(costs) >= now:
                return
            now = min(costs)
            found = {}
            for users, (_, paths, _) in zip(tried[costs.index(now)], self.layers):
                found.setdefault(users, set()).update(paths)
            self.layers = self.listed(found)
            sizes = [size for _, _, size in self.layers]


def layers_of(graph):
    """[[module]], the first is what main.js needs, and itself."""
    layers = Layers(graph)
    layers.make_few()
    lists = [sorted(paths) for _, paths, _ in layers.layers]
    return sorted(lists, key=lambda paths: graph.main not in paths)


def imported(layers, graph, entry):
    """Those of the layers that the entry needs, and those that have what these need, and so on. layers: {name: modules}"""
    found, todo = set(), graph.needs(entry)
    while more := {name for name, paths in layers.items() if todo & set(paths)} - found:
        found |= more
        todo = graph.needs(*(path for name in more for path in layers[name]))
    return sorted(found)
