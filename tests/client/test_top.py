"""cairn top on a terminal: a real server that goes and comes back, keys, sizes, colours, and how it ends."""
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import threading

import pytest

from cluster import wait_until
from conftest import real_environment
from probe import PATIENCE_S
from tmux import HAS_TMUX, Terminal

CAIRN = os.environ.get("CAIRN_TEST_COMMAND", "cairn")
pytestmark = pytest.mark.skipif(not HAS_TMUX, reason="no tmux: scripts/install-deps test")

# True colour, as terminfo describes it; Debian has such entries in ncurses-term.
DIRECT = r"""screen-direct|screen with true colour,
	use=screen, RGB, colors#0x1000000, pairs#0x7FFFF,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e38\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
"""


@pytest.fixture
def start():
    started = []

    def make(environment, *words, **options):
        started.append(Terminal([CAIRN, "top", *words], environment, **options))
        return started[-1]

    yield make
    for terminal in started:
        terminal.close()


def plain_environment(**more):
    keep = ("PATH", "HOME", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
    return {name: os.environ[name] for name in keep if name in os.environ} | more


class Trainer:
    """Two writers of a run, on two hosts with two GPUs each."""

    def __init__(self, run):
        self.run, self.batch = run, 0
        run.ask("PUT", body={"display_name": "first try"})
        for rank in range(2):
            run.ask("POST", "/join", {"client": f"c{rank}", "role": "worker" if rank else "primary", "label": f"rank{rank}",
                                      "host": f"node{rank}"})

    def log(self, loss, text="epoch", writer=0, gpu=50):
        self.batch += 1 if writer == 0 else 0
        self.run.ask("POST", "/batch", {
            "writer": f"c{writer}", "session": 1, "batch": self.batch if writer == 0 else 1,
            "history": [{"_step": self.batch, "train/loss": loss, "accuracy": 1 - loss}] if writer == 0 else [],
            "events": [{"_timestamp": 1772355600 + self.batch, "cpu": 25, "memory_percent": 40,
                        **{f"gpu.{i}.gpu": gpu + i for i in range(2)}, "gpu.0.temp": 61, "gpu.0.powerWatts": 310}],
            "console": [{"line": self.batch, "stream": "stdout", "time": 1772355600.5, "text": text}]})


def test_a_server_that_goes_and_comes_back(start, cairnd, real_run):
    trainer = Trainer(real_run)
    trainer.log(0.625)
    top = start(real_environment(real_run) | {"LINES": "10", "COLUMNS": "30"}, f"me/p/{real_run.name}")
    seen = top.wait("0.625", "0.375", " live\n", "rank0", "alive", "epoch")
    assert seen.startswith(f"cairn top  me/p/{real_run.name}"[:79]) and top.option("alternate_on")
    assert re.search(r"^─ Metrics ─+$", seen, re.M) and "rank1" in seen
    trainer.log(0.1875, "\x1b[2J\x1b]0;title\a second line")
    top.wait("0.1875", "second line")
    real_run.ask("POST", "/alerts", {"title": "loss is high"})
    top.wait("\nalert: loss is high ")

    top.resize(40, 12)
    top.wait("[Metrics] Dev  Writ  Cons", "0.1875")
    top.keys("5")
    top.wait("[Console]", "second line", without=("train/loss",))
    top.resize(100, 30)
    top.wait("─ Metrics", "─ Devices", "─ Console", "node0 gpu 1", "51%", "61°C 310 W")

    cairnd.kill()
    seen = top.wait("not connected", "127.0.0.1", "0.1875")
    assert " live\n" not in seen
    cairnd.back()
    top.wait(" live\n", "0.1875", without=("not connected",))
    trainer.log(0.5625)
    top.wait("0.5625", "0.4375")

    top.keys("q")
    top.wait("before", "ended: 0", without=("train/loss",))
    assert not top.option("alternate_on") and not top.option("mouse_any_flag")
    top.keys("typed again", "Enter")
    wait_until(lambda: top.screen().count("typed again") == 2, what="an echo, and what cat prints")


def test_a_project_and_keys(start, cairnd, real_run):
    other = type(real_run)(cairnd, real_run.name + "-2")
    Trainer(real_run).log(0.625)
    Trainer(other).log(0.125, "of the second")
    other.ask("POST", "/finish", {"writer": "c0", "session": 1, "exit_code": 1})
    top = start(real_environment(real_run), "p", "--filter", f"id:{real_run.name},{other.name}", "--order", "-created_at", width=110, height=35)
    top.wait("2 runs, 1 running", "failed", "running", "train/loss", "0.125", "of the second")
    top.keys("j")
    top.wait("epoch", "0.625", without=("of the second",))
    top.keys("Tab", "/", "a", "c", "c", "u", "Enter")
    top.wait("─ Metrics /accu", without=("\n train/loss",))
    top.keys("Enter")
    top.wait("[Metrics /accu]", without=("RUN ",))
    top.keys("Escape")
    top.wait("RUN ", "/accu")
    top.keys("Escape")
    top.wait("─ Metrics ─", "train/loss")
    top.keys("s")
    top.wait("System metrics", "gpu.0.gpu", "gpu.0.temp")
    top.keys("?")
    top.wait("next, previous pane")
    top.keys("x", "q")
    top.wait("ended: 0")


def test_it_prints_one_screen(cairnd, real_run):
    Trainer(real_run).log(0.625)
    environment = real_environment(real_run) | {"LC_ALL": "C", "COLUMNS": "70", "LINES": "20"}
    for words in ([f"p/{real_run.name}"], []):  # CAIRN_RUN
        done = subprocess.run([CAIRN, "top", "--once", *words], env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
        assert done.returncode == 0 and done.stdout.isascii(), done
        assert len(done.stdout.splitlines()) == 20 and max(map(len, done.stdout.splitlines())) <= 70
        assert "train/loss" in done.stdout and "0.625" in done.stdout and "node0 gpu 0" in done.stdout


@pytest.mark.parametrize("words, code, line", [
    (["top", "--once", "nothing"], 1, "does not exist"), (["top", "--once", "p/no-such-run"], 1, "does not exist"),
    (["top", "--once", "p", "--filter", "(("], 1, "(status 400)"), (["top", "--once", "p", "--order", "a,b,c,d,e"], 1, "(status 400)"),
    (["top", "--once", "a/b/c/d"], 2, 'invalid target "a/b/c/d"'), (["top", "a", "b"], 2, "one project, run or folder"),
    (["top", "--host", "p"], 2, "no argument"), (["top", "--pid", "1"], 2, "require --host"),
    (["top", "--host", "--interval", "99"], 2, "from 100 to 60000"), (["top", "--host", "--interval", "60001"], 2, "60000"),
    (["top", "--once", "/no/such/spool"], 1, 'cannot open the spool "/no/such/spool"'), (["top", "--host"], 2, "needs a terminal")])
def test_it_says_what_is_wrong(cairnd, real_run, words, code, line):
    real_run.ask("PUT", body={})
    done = subprocess.run([CAIRN, *words], env=real_environment(real_run), capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == code and line in done.stderr and done.stdout == "", done


def test_a_server_that_is_away_from_the_start(cairnd, real_run):
    """The screen says so, and with --once the exit status, too."""
    environment = real_environment(real_run) | {"CAIRN_URL": "http://127.0.0.1:1"}
    done = subprocess.run([CAIRN, "top", "--once", "me/p"], env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 3 and "not connected" in done.stdout and done.stderr == "", done


class OddServer(http.server.BaseHTTPRequestHandler):
    """Answers in Cairn's form, with members of other kinds, hostile texts, and streams that break off."""

    HOSTILE = "\x1b[2J\x1b]0;t\x07\u202e\x00\x9b31m" + "\u65e5" * 3000
    ODD = [None, -1, 1e300, True, HOSTILE, [], {}, [[]], {"key": 5}]
    turn = 0
    has_stream = True

    def items(self, **well):
        made = [dict(well)]
        for odd in self.ODD:
            made += [odd, {name: odd for name in well}, {**well, "id": self.HOSTILE, "key": f"k{len(made)}", "kinds": odd}]
        return {"items": made, "next_cursor": self.ODD[type(self).turn % len(self.ODD)]}

    def content(self):
        part = self.path.split("?")[0].rsplit("/", 1)[1]
        if part == "runs":
            return self.items(id="r", display_name="odd", state="running", rows=1, last_step=1, started_at="2026-03-01T09:00:00Z",
                              ended_at="never", heard_at=None, values=self.ODD)
        if part == "writers":
            return self.items(label="w", role="primary", state="alive", host="h", number=0, heard_at="2026-13-45T99:99:99.9.9Z")
        if part == "keys":
            return self.items(key="loss", last=0.5, kinds=["number"])
        if part == "console":
            return self.items(label="w", text="a line", level="error", stream="stdout")
        if part in ("history", "events"):
            buckets = [{"x_first": x, "x_last": x, "min": x, "max": x, "mean": x, "last": x} for x in (0, 1e308, -1e308)] + self.ODD
            return {"series": [{"key": "loss", "label": "w", "buckets": buckets}, *self.ODD, {"key": "loss", "buckets": 7}]}
        return {"name": "p"}

    def do_GET(self):
        type(self).turn += 1
        is_stream = "/live" in self.path
        if is_stream and not self.has_stream:
            body, status = b'{"title":"no"}', 503
        elif is_stream:
            body, status = b"event: open\ndata: {\"now\":7}\n\n" + b"event: rows\ndata: [\n\n" * 5 + os.urandom(2000) + b"x" * 100000, 200
        else:
            body, status = json.dumps(self.content()).encode(), 200
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
        self.send_header("Content-Length", str(len(body) + 1000 * is_stream))  # it breaks off
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("has_stream", [True, False])
def test_an_odd_server(start, has_stream):
    handler = type("Odd", (OddServer,), {"has_stream": has_stream})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        environment = plain_environment(CAIRN_URL=f"http://127.0.0.1:{server.server_port}", CAIRN_API_KEY="k" * 40)
        top = start(environment, "--project", "me/p", width=120, height=40)
        seen = top.wait("odd", "loss", "a line", *([] if has_stream else ["every 5 s"]))
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", seen)
        for key in ("j", "j", "j", "Tab", "l", "Enter", "s", "y", "x", "Escape", "Tab", "Tab", "Tab", "k", "?"):
            top.keys(key)
        turn = handler.turn
        wait_until(lambda: handler.turn > turn + 3, what="further requests")
        top.keys("Escape", "q")
        top.wait("ended: 0")
        server.shutdown()


def colours_of(top):
    """Parameters of SGR sequences on the screen."""
    return {word for found in re.findall(r"\x1b\[([\d;:]*)m", top.screen("-e")) for word in [found]}


@pytest.mark.parametrize("term, more, locale, size", [
    ("vt100", {}, "C", (40, 12)), ("screen", {"NO_COLOR": "1"}, "C.UTF-8", (80, 24)), ("screen", {}, "C.UTF-8", (80, 24)),
    ("screen-256color", {}, "C.UTF-8", (80, 24)), ("screen-256color", {"COLORTERM": "truecolor"}, "C.UTF-8", (80, 24))])
def test_this_host_on_terminals(start, tmp_path, term, more, locale, size):
    """Without a server; in colours as the terminal has them."""
    (tmp_path / "source").write_text(DIRECT)
    subprocess.run(["tic", "-x", "-o", tmp_path / "terminfo", tmp_path / "source"], check=True, capture_output=True)
    environment = plain_environment(TERMINFO_DIRS=f"{tmp_path}/terminfo:/etc/terminfo:/lib/terminfo:/usr/share/terminfo", **more)
    top = start(environment, "--host", "--interval", "100", width=size[0], height=size[1], term=term, locale=locale)
    seen = top.wait("cpu.all", without=("no values",))
    assert seen.isascii() == (locale == "C")
    colours = colours_of(top)
    if term == "vt100" or "NO_COLOR" in more:
        assert not [one for one in colours if re.search(r"(^|[;:])([34][0-7]|[34]8|9[0-7])($|[;:])", one)]
    elif "COLORTERM" in more:
        assert [one for one in colours if re.search(r"38[;:]2[;:]", one)]
    elif term == "screen-256color":
        assert [one for one in colours if re.search(r"38[;:]5[;:]", one)]
    else:
        assert [one for one in colours if re.search(r"(^|;)3[1-7]($|;)", one)] and not [one for one in colours if "38" in one]
    top.keys("q")
    top.wait("ended: 0", without=("cpu.all",)) if term == "vt100" else top.wait("before", "ended: 0")


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 0)])
def test_a_signal_gives_the_terminal_back(start, number, code):
    top = start(plain_environment(), "--host")
    top.wait("cpu.all")
    os.kill(top.pid_of("cairn"), number)
    top.wait("before", f"ended: {code}", without=("cpu.all",))
    assert not top.option("alternate_on")


@pytest.mark.parametrize("term, words", [
    ("no-such-terminal", ('unknown terminal "no-such-terminal"', "ended: 1")), ("dumb", ("cannot move its cursor", "ended: 1")),
    ("xterm-of-another-host", ("cpu.all",)), ("tmux-of-another-host", ("cpu.all",))])
def test_terminals_without_an_entry(start, term, words):
    top = start(plain_environment(), "--host", term=term)
    top.wait(*words)


def test_the_picture_of_the_guide_is_drawn_like_that():
    """It is one of the screens of top_unit.c."""
    literal = re.search(r"project_screen\[\] =\n(.*?);\n\n", (pathlib.Path(__file__).parent / "top_unit.c").read_text(), re.S)[1]
    screen = "".join(re.findall(r'^\s*"(.*)\\n"$', literal, re.M))
    guide = (pathlib.Path(__file__).parents[2] / "docs/client.md").read_text()
    assert len(screen) > 1500 and screen in guide.replace("\n", "")


def test_the_manual_and_help_have_it():
    told = subprocess.run([CAIRN, "top", "--help"], capture_output=True, text=True, check=True).stdout
    assert {"--host", "--spool", "--pid", "--interval", "--filter", "--ascii", "--once", "--url"} <= set(re.findall(r"--[a-z]+", told))
    help_page = (pathlib.Path(__file__).parents[2] / "docs/client.md").read_text()
    assert "cairn top" in help_page
