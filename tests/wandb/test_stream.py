"""What flows while a run lives: console, system metrics, the stop button; and what an outage leaves of it."""
import pathlib

import pytest
from client import Client
from rest import Api
from runs import Run
from site_of import Site


def print_lines(name):
    import sys

    import wandb
    with wandb.init(id=name):
        for n in range(50):
            print("line", n)
        print("größe \x1b[31mred\x1b[0m", file=sys.stderr)
        print("a" * 3000)
        for percent in range(0, 101, 10):
            print(f"\rprogress {percent}%", end="")
        print()


def wait_for_file(name, file):
    """Until the file is there; then what the public API shows of the machine."""
    import pathlib
    import time

    import wandb
    with wandb.init(id=name) as run:
        run.log({"a": 1})
        while not pathlib.Path(file).exists():
            time.sleep(0.02)
    shown = wandb.Api().run(f"{run.entity}/{run.project}/{name}")
    return {"last": shown.system_metrics, "rows": shown.history(stream="system", pandas=False)}


def log_until_stopped(name):
    import time

    import wandb
    with wandb.init(id=name) as run:
        try:
            while True:
                run.log({"a": 1})
                time.sleep(0.05)
        except KeyboardInterrupt:
            return "stopped"


def log_slowly(name, file, count):
    """Rows all the while, until the file is there; at least so many."""
    import pathlib
    import time

    import wandb
    with wandb.init(id=name) as run:
        step = 0
        while step < count or not pathlib.Path(file).exists():
            run.log({"value": step})
            step += 1
            time.sleep(0.01)
    return step


@pytest.mark.feature("console: stdout, stderr, progress bars")
def test_console(client, read):
    done = client.call(print_lines, name="r1")
    assert done.code == 0, done
    lines = {line["text"]: line["stream"] for line in read("r1").console()}
    assert [f"line {n}" for n in range(50)] == [text for text in lines if text.startswith("line ")]
    assert all(lines[f"line {n}"] == "stdout" for n in range(50))
    assert any("größe" in text and "red" in text and stream == "stderr" for text, stream in lines.items())
    assert "a" * 3000 in lines
    assert [text for text in lines if text.startswith("progress")] == ["progress 100%"]


@pytest.mark.long_if_old
@pytest.mark.feature("system metrics")
def test_system_metrics(client, read, wait_for):
    running = client.start(wait_for_file, name="r1", file="go")
    run = read("r1")
    wait_for(lambda: run.api.request("GET", run.path).status == 200 and len(run.events()) > 1, what="system metrics")
    (client.folder / "go").write_text("")
    shown = running.wait().value
    events = run.events()
    assert events[0]["_timestamp"] > 1.7e9
    assert any(key.startswith("system.") and isinstance(value, (int, float)) for key, value in events[0].items())
    assert shown["rows"] == [{key: row[key] for key in row if key not in ("_row", "_label")} for row in events]
    last = {key: value for row in events for key, value in row.items() if key.startswith("system.")}
    assert {key: value for key, value in shown["last"].items() if key.startswith("system.")} == last


@pytest.mark.long_if_old
@pytest.mark.feature("the stop button")
def test_the_stop_button(client, read, api, wait_for):
    running = client.start(log_until_stopped, name="r1")
    run = read("r1")
    wait_for(lambda: api.request("GET", run.path).status == 200 and run.rows(), what="rows")
    api.post(run.path + "/stop", {"reason": "enough"})
    done = running.wait()
    assert run.state in ("killed", "finished", "failed"), done
    assert not running.is_running


@pytest.fixture
def site(tmp_path):
    made = Site(tmp_path)
    yield made
    made.close()


@pytest.mark.long_if_old
@pytest.mark.feature("nothing is lost when server or database are gone for a while")
def test_an_outage(site, version, tmp_path, wait_for):
    """The server is killed under a logging SDK, then the database stops, both come back."""
    url = f"http://127.0.0.1:{site.server.port}"
    client = Client(version, url, site.key, tmp_path / "machine", WANDB_PROJECT="p",
                    WANDB_X_FILE_STREAM_RETRY_WAIT_MIN_SECONDS="1", WANDB_X_FILE_STREAM_RETRY_WAIT_MAX_SECONDS="1")
    api = Api(site.server, site.key)
    run = Run(api, "r1", "/api/v1/projects/ann/p", make=False)
    running = client.start(log_slowly, name="r1", file="go", count=300)
    wait_for(lambda: api.request("GET", run.path).status == 200 and run.rows(), what="rows")
    seen = len(run.rows())
    site.server.kill()
    site.server.start(site.server.port)
    wait_for(lambda: len(run.rows()) > seen, what="rows after the server's death")
    site.cluster.halt("immediate")
    before = site.server.log().count("status=503")
    wait_for(lambda: site.server.log().count("status=503") > before, what="a refusal")
    site.cluster.start()
    pathlib.Path(client.folder / "go").write_text("")
    count = running.wait().value
    assert [(row["_step"], row["value"]) for row in run.rows()] == [(n, n) for n in range(count)]
    assert run.state == "finished"
