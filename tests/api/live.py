"""A listener of server-sent events, in a thread of its own."""
import http.client
import json
import queue
import socket
import threading
import urllib.parse


def small_socket(port):
    """A connection to the server that takes little before it is read from."""
    made = socket.socket()
    made.settimeout(60)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect(("127.0.0.1", port))
    return made


class Live:
    """`next(name)` waits for an event of that name; all that came stand in .seen.

    A patient one has small buffers and reads nothing before it is told to read().
    """

    def __init__(self, run, last_id=None, streams=None, patient=False):
        self._open(run.api, f"{run.path}/live" + (f"?streams={streams}" if streams else ""), last_id, patient)

    def _open(self, api, path, last_id, patient):
        headers = api._headers({"Accept": "text/event-stream"})
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        self.http = http.client.HTTPConnection("127.0.0.1", api.server.port, timeout=60)
        if patient:
            self.http.sock = small_socket(api.server.port)
        self.http.request("GET", path, headers=headers)
        self.socket = self.http.sock
        self.answer = self.http.getresponse()
        self.queue = queue.Queue()
        self.seen = []
        if not patient:
            self.read()

    def read(self):
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        event = {}
        try:
            for line in self.answer:
                line = line.decode().rstrip("\r\n")
                if line and not line.startswith(":"):
                    name, _, value = line.partition(":")
                    event[name] = event.get(name, "") + value.removeprefix(" ")
                elif not line and event:
                    self.queue.put(event)
                    event = {}
        except (OSError, http.client.HTTPException, ValueError, AttributeError):  # closed under it
            pass
        self.queue.put(None)

    def next(self, name=None, timeout=120):
        """The next event (of that name): (name, data, id)."""
        while True:
            event = self.queue.get(timeout=timeout)
            assert event is not None, f"the stream ended after {self.seen}"
            found = event["event"], json.loads(event["data"]), event.get("id")
            self.seen.append(found)
            if name in (None, found[0]):
                return found

    def items(self, name, count):
        """`count` items of events of that name, in order; and the id of the last."""
        items = []
        while len(items) < count:
            _, data, event_id = self.next(name)
            items += data["items"]
        return items, event_id

    def ends(self, beats=None):
        """Waits for the end of the stream, at most until so many beats came in all; returns the reason it gave."""
        while (found := self.next())[0] != "end":
            assert beats is None or [name for name, *_ in self.seen].count("beat") < beats, "it goes on"
        reason = found[1]["reason"]
        assert self.queue.get(timeout=120) is None, "something comes after the end"
        return reason

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.http.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Watch(Live):
    """Of a project. `runs` is what a page that follows the stream shows: each run, by its id."""

    def __init__(self, api, project, last_id=None, patient=False, **query):
        self.runs = {}
        path = f"{project}/live" + (f"?{urllib.parse.urlencode(query)}" if query else "")
        self._open(api, path, last_id, patient)

    def next(self, name=None, timeout=120):
        while True:
            found = super().next(timeout=timeout)
            for item in found[1].get("items", ()):
                if found[0] == "run":
                    self.runs.setdefault(item["id"], {}).update(item)
                elif found[0] == "gone":
                    self.runs.pop(item["id"], None)
            if name in (None, found[0]):
                return found

    def until(self, condition):
        """Reads on until it holds; the id of the last event that had one."""
        while not condition(self.runs):
            self.next()
        return self.last_id

    @property
    def last_id(self):
        return next(event_id for _, _, event_id in reversed(self.seen) if event_id)

    def of(self, name, run):
        """What events of that name told of the run."""
        told = [data for seen, data, _ in self.seen if seen == name]
        if name == "rows":
            return [item for data in told for item in data["items"] if item["run"] == run]
        return [data[name] for data in told if data["run"] == run]

    def follow(self, name, run, count=1):
        """The same, as soon as there are so many."""
        while len(self.of(name, run)) < count:
            self.next()
        return self.of(name, run)


class Many(Live):
    """Of several projects by one connection, by their paths or as `watch` has them; `told` are all events but of the stream
    itself: (project, name, data, id)."""

    def __init__(self, api, projects, last_id=None, **query):
        self.told = []
        self.project = None
        watch = ":".join(one.removeprefix("/api/v1/projects/") for one in projects)
        self._open(api, f"/api/v1/live?{urllib.parse.urlencode({'watch': watch, **query})}", last_id, False)

    def next(self, name=None, timeout=120):
        while True:
            found = super().next(timeout=timeout)
            if found[0] == "project":
                assert found[2] == "" and list(found[1]) == ["project"]
                self.project = found[1]["project"]
            elif found[0] != "beat":
                self.told.append((self.project, *found))
            if name in (None, found[0]):
                return found

    def of(self, project, name):
        """Data of what was told of the project."""
        return [data for told, seen, data, _ in self.told if (told, seen) == (project.removeprefix("/api/v1/projects/"), name)]

    def until(self, project, name, count=1):
        while len(self.of(project, name)) < count:
            self.next()
        return self.of(project, name)

    def item(self, project, run, **members):
        """The first item of the run with these members. The time of a change may be sent before the run itself, with few members."""
        def found():
            items = [item for data in self.of(project, "run") for item in data["items"]]
            return [item for item in items if item["id"] == run and members.items() <= item.items()]
        while not found():
            self.next()
        return found()[0]

    def last_id(self, project):
        return [event_id for told, _, _, event_id in self.told
                if event_id and told == project.removeprefix("/api/v1/projects/")][-1]


def place_of(run):
    """The id of where the run stands now."""
    with Live(run) as live:
        return live.next("open")[2]
