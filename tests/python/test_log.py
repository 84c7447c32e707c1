"""What is logged comes back."""
import cairn


def test_log_and_read_back(api):
    with cairn.init(id="first", name="First", group="g", job_type="train", tags=["a", "b"], notes="n", label="rank0",
                    config={"lr": 0.1, "net": {"depth": 3}}) as run:
        for step in range(50):
            run.log({"loss": 1 / (step + 1), "n": step})
        assert run.flush()
    assert run.finish() == cairn.Report()
    found = api.run("me/p/first")
    assert (found.state, found.exit_code, found.name, found.group, found.job_type, found.tags, found.notes) == \
        ("finished", 0, "First", "g", "train", ["a", "b"], "n")
    assert found.config == {"lr": 0.1, "net": {"depth": 3}}
    history = found.history(["loss", "n"])
    assert list(history["loss"]) == [1 / (step + 1) for step in range(50)]
    assert list(history["_step"]) == list(range(50)) and set(history["_label"]) == {"rank0"}
    assert found.summary["loss"] == 1 / 50
