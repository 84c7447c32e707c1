"""Programs that fork, spawn, end by exceptions, and are killed."""
import os
import signal
import subprocess
import sys

import pytest
from cluster import wait_until
from conftest import PACKAGE, PATIENCE_S

HEAD = "import cairn, os, signal, sys\n"
RUN = HEAD + "run = cairn.init(id={name!r})\nrun.log({{'x': 1}})\n"


def state_of(api, name):
    found = api.run(f"me/p/{name}")
    return found.state, found.exit_code, [row["x"] for row in found.rows(["x"])]


@pytest.mark.parametrize("name, end, status, state", [
    ("returns", "", 0, ("finished", 0)),
    ("exits", "sys.exit(3)", 3, ("failed", 3)),
    ("raises", "raise ValueError('no')", 1, ("failed", 1)),
    ("inside", "with run:\n    raise ValueError('no')", 1, ("failed", 1)),
    ("interrupted", "os.kill(os.getpid(), signal.SIGINT)\nwhile True:\n    os.sched_yield()", -signal.SIGINT, ("failed", 130)),
    ("finishes", "run.finish(7)", 0, ("failed", 7)),
    ("texts", "sys.exit('sorry')", 1, ("failed", 1)),
])
def test_the_end(api, program, name, end, status, state):
    program(RUN.format(name=name) + end, status)
    assert state_of(api, name) == (*state, [1])


def test_a_killed_process_ends_nothing(api, program):
    program(RUN.format(name="killed") + "run.flush()\nos.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL)
    assert state_of(api, "killed") == ("running", None, [1])


def test_fork(api, program):
    """Each child is a worker; one that logs nothing leaves nothing."""
    program(RUN.format(name="forked") + """
run.save(__file__, 'before.py')
children = []
for i in range(3):
    child = os.fork()
    if child == 0:
        if i < 2:
            run.log({'x': 10 + i})
            run.log({'x': 20 + i}, step=100)
            run.config[f'child{i}'] = i
            run.save(__file__, f'child{i}.py')
            assert cairn.run is run
        if i == 1:
            assert run.finish() == cairn.Report() and cairn.run is None
        sys.exit(5)
    children.append(child)
run.log({'x': 2})
for child in children:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
run.log({'x': 3})
run.finish()
""")
    found = api.run("me/p/forked")
    assert sorted(row["x"] for row in found.rows(["x"])) == [1, 2, 3, 10, 11, 20, 21] and found.state == "finished"
    assert found.config == {"child0": 0, "child1": 1}
    assert [file.name for file in found.files()] == ["before.py", "child0.py", "child1.py"]
    writers = {writer["label"]: writer for writer in found.writers()}
    assert len(writers) == 3 and sorted(writer["role"] for writer in writers.values()) == ["primary", "worker", "worker"]
    assert {writer["state"] for writer in writers.values()} == {"ended"}


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(api, program, method):
    program(f"""
import cairn, multiprocessing, os

def work(run, x):
    run.log({{'x': x}})

if __name__ == '__main__':
    run = cairn.init(id='by-{method}', label='main')
    run.log({{'x': 1}})
    context = multiprocessing.get_context({method!r})
    processes = [context.Process(target=work, args=(run, 10 + i)) for i in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    run.finish()
""")
    found = api.run(f"me/p/by-{method}")
    assert sorted(row["x"] for row in found.rows(["x"])) == [1, 10, 11] and found.state == "finished"
    assert len(found.writers()) == 3 and all(writer["label"].startswith("main") for writer in found.writers())


def test_workers_that_join_by_id(api, program):
    """A worker does not decide how the run ends."""
    program(HEAD + """
run = cairn.init(id='shared', label='rank0', primary=True)
run.wait()
worker = cairn.init(id='shared', label='rank1', primary=False)
assert cairn.run is worker
run.log({'x': 1})
worker.log({'x': 2})
worker.finish(3)
assert cairn.run is run
""")
    state, code, values = state_of(api, "shared")
    assert (state, code, sorted(values)) == ("finished", 0, [1, 2])


def test_console(api, program):
    done = program(HEAD + """
run = cairn.init(id='console', console=True)
print('first é')
print('error', file=sys.stderr)
sys.stdout.write('50%\\r100%\\n')
run.finish()
print('after')
""")
    assert done.stdout == "first é\n50%\r100%\nafter\n" and done.stderr == "error\n"
    found = api.run("me/p/console")
    assert list(found.console(stream="stdout")) == ["first é", "100%"] and list(found.console(stream="stderr")) == ["error"]


def test_a_stop_is_seen(api, settings, tmp_path):
    (tmp_path / "program.py").write_text(HEAD + """
import time
with cairn.init(id='stopped') as run:
    run.wait()
    print('ready', flush=True)
    while not run.should_stop:
        run.log({'x': 1})
        time.sleep(0.01)
""")
    env = {**os.environ, **settings, "PYTHONPATH": str(PACKAGE)}
    with subprocess.Popen([sys.executable, "program.py"], cwd=tmp_path, env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        api._client.ask("POST", "/projects/me/p/runs/stopped/stop", body={"reason": "enough"})
        assert process.wait(PATIENCE_S) == 0
    assert wait_until(lambda: api.run("me/p/stopped").state == "finished")


def test_without_a_server(program):
    """The program ends in time, and one sentence says what is lost."""
    done = program(RUN.format(name="alone") + "r = run.finish(timeout=0.2)\nprint(r.history_unsent + r.history_spooled)",
                   CAIRN_URL="http://127.0.0.1:9")
    assert done.stdout == "1\n" and "the run alone is not complete" in done.stderr


def test_import_is_quick_and_brings_no_framework(program):
    done = program("""
import sys, time
began = time.process_time()
import cairn
loaded = {'numpy', 'torch', 'pandas', 'lightning', 'transformers', 'keras'} & set(sys.modules)
assert not loaded, loaded
""")
    assert done.stderr == ""


def test_a_program_that_never_finishes_its_run_says_what_is_lost(program):
    """A key that the server refuses does not stop the program, and is not kept secret either."""
    done = program(RUN.format(name="refused-at-exit"), CAIRN_API_KEY="0" * 40)
    assert "CairnWarning: the run refused-at-exit is not complete" in done.stderr
