"""One member that cannot be kept costs only itself; what is refused as a whole leaves nothing behind."""
import json

import pytest

WIDE = "実験"
UPSERT = "mutation($i: UpsertBucketInput!) { upsertBucket(input: $i) { bucket { id } } }"


def left_out(run):
    """{(kind, name): reason}"""
    return {(each["kind"], each["name"]): each["reason"] for each in run.api.pages(f"{run.path}/left-out")}


# --- with the SDK

def train_oddly():
    import wandb
    numbers = list(range(300_000))
    config = {"lr": 0.1, "indices": numbers, "data": {"ids": numbers, "name": "cats"}, "text": "abc\0", "na\0me": 1}
    run = wandb.init(id="r1", name="line one\nline two", group="a\tb", job_type="評価" * 12, tags=["実験" * 15, "ok"],
                     notes="n" * 70_000, config=config)
    run.log({"loss": 1})
    run.config["more"] = numbers
    run.config["epochs"] = 5
    run.summary["per_sample"] = numbers
    run.summary["note"] = "abc\0"
    run.summary["best\n"] = 3
    run.finish()
    with wandb.init(id="r2", group="実験" * 30, name="実験" * 64, config={"lr": 0.1}) as run:
        run.name = "n" * 300
        run.notes = "a\0b"
        run.config["epochs"] = 5
        run.log({"text": "abc\0"})


def resume():
    """What the SDK reads it sends again."""
    import wandb
    with wandb.init(id="r1", resume="must") as run:
        run.config["lr"] = 0.1
        run.log({"loss": 2})


@pytest.mark.long_if_old
@pytest.mark.feature("one bad member of config, summary, names or tags costs only itself")
def test_documents_and_names(client, read):
    client.call(train_oddly)
    run = read("r1")
    config = run.config()
    config.pop("_wandb")
    assert config == {"lr": 0.1, "data": {"name": "cats"}, "text": "abc␀", "na␀me": 1, "epochs": 5}
    summary = run.summary()
    assert (summary["note"], summary["best␊"], summary["loss"], "per_sample" in summary) == ("abc␀", 3, 1, False)
    head = run.get()
    assert (head["display_name"], head["group"], head["job_type"]) == ("line one line two", "a b", "評価" * 12)
    assert (head["tags"], head["notes"], head["state"]) == ([WIDE * 15, "ok"], "n" * 65536, "finished")
    assert left_out(run) == {("config", "indices"): "value-too-large", ("config", "data.ids"): "value-too-large",
                             ("config", "more"): "value-too-large", ("summary", "per_sample"): "value-too-large",
                             ("field", "notes"): "value-too-large"}
    client.call(resume)
    assert {key: value for key, value in run.config().items() if key != "_wandb"} == config
    assert (run.summary()["note"], run.summary()["best␊"], run.summary().keys() - summary.keys()) == ("abc␀", 3, set())
    second = read("r2")
    assert (second.get()["group"], second.get()["display_name"]) == (WIDE * 30, "n" * 256)
    assert (second.get()["notes"], second.config()["epochs"], second.summary()["text"]) == ("a␀b", 5, "abc␀")
    assert left_out(second) == {("field", "display_name"): "value-too-large"}


# --- as the SDK speaks

def upsert(wire, **fields):
    return wire.ask(UPSERT, i={"entityName": "ann", "modelName": wire.project, "name": "r1", **fields}).json


FITTED = [  # what is sent, the field over REST, what is kept, the reason noted
    ({"displayName": WIDE * 128}, "display_name", WIDE * 128, None),
    ({"displayName": WIDE * 128 + "x"}, "display_name", WIDE * 128, "value-too-large"),
    ({"displayName": "a\u0001b\x7f"}, "display_name", "a b ", None),
    ({"displayName": "a\0b"}, "display_name", "a␀b", None),
    ({"groupName": "🔥" * 128}, "group", "🔥" * 128, None),
    ({"groupName": "🔥" * 129}, "group", "🔥" * 128, "value-too-large"),
    ({"jobType": "é" * 65}, "job_type", "é" * 64, "value-too-large"),
    ({"sweep": "x" * 129}, "sweep", "x" * 128, "value-too-large"),
    ({"notes": "é" * (32 << 10)}, "notes", "é" * (32 << 10), None),
    ({"notes": "x" + "é" * (32 << 10)}, "notes", "x" + "é" * ((32 << 10) - 1), "value-too-large"),
    ({"tags": ["🔥" * 64]}, "tags", ["🔥" * 64], None),
    ({"tags": ["🔥" * 65, "ok"]}, "tags", ["🔥" * 64, "ok"], "value-too-large"),
    ({"tags": ["", "a\nb", "a b"]}, "tags", ["a b"], "name-empty"),
    ({"tags": [f"t{n}" for n in range(101)]}, "tags", [f"t{n}" for n in range(100)], "request-full"),
]


@pytest.mark.parametrize("sent, field, kept, reason", FITTED, ids=lambda each: str(each)[:40])
def test_names_are_made_to_fit(wire, read, sent, field, kept, reason):
    """When the run is made, and later; what came with it is stored. What is sent again is noted once."""
    for later in (False, True):
        if later:
            wire.start("r2", config={"lr": 1})
        answer = upsert(wire, name="r2" if later else "r1", config='{"epochs": {"value": 5}}', **sent)
        assert not answer.get("errors"), answer
        run = read("r2" if later else "r1")
        upsert(wire, name=run.name, **sent)
        assert (run.get()[field], run.config()["epochs"]) == (kept, 5)
        [*noted] = run.api.pages(f"{run.path}/left-out")
        assert [(each["kind"], each["name"], each["reason"], each["count"]) for each in noted] == (
            [("field", field, reason, 1)] if reason else [])
        assert run.get()["left_out"] == len(noted)


CONFIGS = [  # a config on the wire, what is kept, what is noted
    ('{"a": {"value": %s}, "b": {"value": 1}}' % ("[" * 40 + "]" * 40), {"b": 1}, {"a": "value-too-deep"}),
    ('{"a": {"value": 1%s}, "b": {"value": 1}}' % ("0" * 500), {"b": 1}, {"a": "value-invalid"}),
    ('{"a": {"value": [1, 1%s]}, "b": {"value": {"c": 1e999, "d": 2}}}' % ("0" * 500), {"b": {"d": 2}},
     {"a": "value-invalid", "b.c": "value-invalid"}),
    ('{"a": {"value": 1}, "a": {"value": 2}, "b": {"value": 3}}', {"a": 1, "b": 3}, {"a": "name-repeated"}),
    ('{"a": {"value": "%s"}, "b": {"value": 1}}' % ("x" * (17 << 20)), {"b": 1}, {"a": "value-too-large"}),
    ('{"a": {"value": %s}, "b": {"value": %s}, "c": {"value": 1}}' % ((json.dumps([7] * 200_000),) * 2),
     {"a": [7] * 200_000, "c": 1}, {"b": "document-full"}),
    ('{"a": {"value": "␀"}, "b": {"value": ["x\\u0000"]}}', {"a": "␀", "b": ["x␀"]}, {}),
]


@pytest.mark.parametrize("which", range(len(CONFIGS)))
def test_members_of_a_config(wire, read, which):
    text, kept, noted = CONFIGS[which]
    answer = upsert(wire, config=text)
    assert not answer.get("errors"), answer
    run = read("r1")
    assert run.config() == kept
    assert left_out(run) == {("config", name): reason for name, reason in noted.items()}


def test_a_config_beside_a_large_one(wire, read):
    """There is no room for all of it in the run: the largest member gives way."""
    wire.start("r1", shared=True, config={"large": [1] * 200_000})
    wire.start("r1", shared=True, config={"other": [2] * 100_000, "lr": 1})
    assert set(read("r1").config()) == {"large", "lr"}
    assert left_out(read("r1")) == {("config", "other"): "document-full"}


@pytest.mark.own
@pytest.mark.parametrize("document", [pytest.param("config", marks=pytest.mark.long), "summary"])
def test_many_members_beside_a_large_document(wire, read, server, document):
    """As few as make room are left out, however many that takes, and no flush fails; so it is when all comes again."""
    wire.start("r1", shared=True, config={"large": [1] * 200_000}).summary({"large": [1] * 200_000})
    many = {**{f"m{n:02}": [n] * 5000 for n in range(20)}, "lr": 1}
    run = read("r1")
    process = wire.start("r1", shared=True, config=many if document == "config" else None)
    for times in (1, 2) if document == "summary" else (1,):
        if document == "summary":
            process.summary({**many, "times": times})
        shown = run.config() if document == "config" else run.summary()
        assert shown["lr"] == 1 and len(shown["large"]) == 200_000
        kept = {name for name in many if name in shown}
        assert kept == {"lr", *(f"m{n:02}" for n in range(11, 20))}
        assert left_out(run) == {(document, f"m{n:02}"): "document-full" for n in range(11)}
    assert server.metric("cairn_ingest_failures_total") == 0


def test_a_summary_without_room_comes_again(wire, read):
    """All of it was left out, so it is new when there is room, and comes with another value."""
    first = wire.start("r1", shared=True)
    first.summary({"large": [1] * 200_000})
    other = wire.start("r1", shared=True)
    other.summary({"acc": [2] * 100_000})
    assert left_out(read("r1")) == {("summary", "acc"): "document-full"}
    first.summary({"large": 1})
    other.summary({"acc": [2] * 100_000, "x": 1})
    assert read("r1").summary() == {"large": 1, "acc": [2] * 100_000, "x": 1}


@pytest.mark.own
def test_the_answer_counts_what_was_left_out(wire, read, db):
    """Of file_stream, as REST does, with the first names; clients read other members of it."""
    process = wire.start("r1")
    assert process.history({"_step": 0, "a": 1})["left_out"] == 0
    project = db.value("select project_id from project where name = %s", wire.project)
    db.query("update project set key_count = 100000 - 1 where project_id = %s", project)
    answer = process.history({"_step": 1, "a": 2, "b": 1, "c": 1, "d": 1})
    assert (answer["left_out"], [each["name"] for each in answer["left_out_first"]]) == (2, ["d", "c"])
    assert {each["reason"] for each in answer["left_out_first"]} == {"project-full"}
    answer = process.summary({"small": 1, "large": {"k" * 60_000: {str(n): 1 for n in range(1200)}}})
    assert (answer["left_out"], answer["left_out_first"][0]["reason"]) == (1, "document-full")
    assert read("r1").get()["left_out"] == 3 and read("r1").keys().keys() == {"a", "b"}
