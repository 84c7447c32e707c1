"""Several processes write into one run without shared mode: nothing on the wire tells whose a request is."""
import pytest


def work(name, first, then, config, go, resume=None):
    """Logs and sets what it is told, says so, and once more when the file is there."""
    import pathlib
    import time

    import wandb

    def do(what):
        for row in what.get("log", ()):
            run.log(row)
        for key, value in what.get("set", {}).items():
            run.summary[key] = value
        for key in what.get("delete", ()):
            del run.summary[key]
        run.config.update(what.get("config", {}), allow_val_change=True)

    settings = wandb.Settings(x_file_stream_transmit_interval=1, x_stats_sampling_interval=0.5)
    run = wandb.init(id=name, config=config, resume=resume, settings=settings)
    do(first)
    pathlib.Path(f"{go}.ready").write_text("")
    while not pathlib.Path(go).exists():
        time.sleep(0.02)
    do(then)
    run.finish()


@pytest.fixture
def begin(client, wait_for):
    """Starts a process and waits until it has done its first part; the second begins with end()."""
    class Process:
        def __init__(self, who, first=None, then=None, config=None, **more):
            self.go = client.folder / who
            self.running = client.start(work, name="r1", first=first or {}, then=then or {}, config=config or {},
                                        go=str(self.go), **more)
            ready = client.folder / f"{who}.ready"
            wait_for(lambda: ready.exists() or not self.running.is_running, what=f"the first part of {who}")
            assert self.running.is_running, self.running.out

        def end(self):
            self.go.write_text("")
            done = self.running.wait()
            assert done.code == 0, done

    return Process


def own(document):
    return {key: value for key, value in document.items() if not key.startswith("_")}


@pytest.mark.long_if_old
@pytest.mark.feature("two processes that resume one run: what one never sent it never erases")
def test_what_one_never_sent_it_never_erases(begin, read, wait_for):
    run = read("r1")
    training = begin("training", {"log": [{"loss": 1}], "set": {"best": 1}}, config={"lr": 1, "old": 1},
                     then={"log": [{"loss": 0.5}], "config": {"late": 1}})
    wait_for(lambda: own(run.summary()) == {"loss": 1, "best": 1}, what="the summary of the training")
    tester = begin("tester", {"log": [{"fid": 1.5}], "set": {"test/best": 2, "best": 7}, "config": {"old": 2}},
                   config={"tester": "yes"}, resume="allow")
    tester.end()
    assert run.state == "running"
    training.end()
    assert own(run.summary()) == {"loss": 0.5, "fid": 1.5, "test/best": 2, "best": 7}
    assert own(run.config()) == {"lr": 1, "old": 2, "tester": "yes", "late": 1}
    assert sorted(key for row in run.rows() for key in row if not key.startswith("_")) == ["fid", "loss", "loss"]
    assert (run.state, run.get()["exit_code"], run.get()["attempt"]) == ("finished", 0, 1)


@pytest.mark.long_if_old
def test_a_process_that_does_not_resume_erases_nothing_beside_one_that_goes_on(begin, read, wait_for):
    run = read("r1")
    training = begin("training", {"log": [{"loss": 1}], "set": {"best": 1}}, config={"lr": 1})
    wait_for(lambda: own(run.summary()) == {"loss": 1, "best": 1}, what="the summary of the training")
    begin("other", {"set": {"b": 2}}, config={"other": 1}).end()
    assert (own(run.config()), run.state) == ({"lr": 1, "other": 1}, "running")
    training.end()
    assert own(run.config()) == {"lr": 1, "other": 1}
    assert own(run.summary()) == {"loss": 1, "best": 1, "b": 2}
    assert run.state == "finished"


@pytest.mark.long_if_old
def test_who_is_left_deletes_its_own_again(begin, read, wait_for):
    run = read("r1")
    training = begin("training", {"set": {"best": 1, "worst": 2}}, then={"delete": ["worst"]})
    wait_for(lambda: own(run.summary()) == {"best": 1, "worst": 2}, what="the summary of the training")
    begin("tester", {"set": {"test": 1}}, resume="must").end()
    training.end()
    assert own(run.summary()) == {"best": 1, "test": 1}


@pytest.mark.long_if_old
@pytest.mark.parametrize("resume", [None, "must"])
def test_one_process_after_the_other_is_the_only_one(begin, read, resume):
    run = read("r1")
    begin("first", {"set": {"a": 1}}, config={"a": 1}).end()
    assert run.state == "finished"
    begin("second", {"set": {"b": 1}}, config={"b": 1}, resume=resume).end()
    assert run.state == "finished"
    assert own(run.config()) == ({"b": 1} if resume is None else {"a": 1, "b": 1})
    assert own(run.summary()) == ({"b": 1} if resume is None else {"a": 1, "b": 1})


@pytest.mark.long_if_old
def test_a_process_that_was_killed_is_not_waited_for_longer_than_the_limit(begin, read, wait_for, api, project):
    run = read("r1")
    api.put(f"/api/v1/projects/ann/{project}", {"crash_after_s": 5})
    killed = begin("killed", {"log": [{"a": 1}]})
    wait_for(lambda: run.summary().get("a") == 1, what="its row")
    killed.running.kill()
    begin("second", {"log": [{"a": 2}]}, resume="must").end()
    wait_for(lambda: run.state == "finished", what="the end of who resumed it")
    assert run.get()["exit_code"] == 0


def test_a_beginning_whose_answer_was_lost_adds_no_process(wire, read):
    """The SDK sends it again, byte for byte. The run ends with the only process that there is."""
    process = wire.start("r1", config={"lr": 1})
    process.upsert(config={"lr": 1}, host="node1", program="train.py")
    process.history({"_step": 0, "loss": 1})
    process.complete()
    assert read("r1").state == "finished"
