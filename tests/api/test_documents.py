"""Config and summary: merged from the writers, edited by people, conflicts kept."""
import pytest

from runs import Run


def config_patch(run, patch, **kwargs):
    return run.api.patch(f"{run.path}/config", patch, **kwargs)


# --- config: the deep merge of every writer's last document, in order of last change

def test_config_is_merged(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(config={"lr": 0.1, "opt": {"name": "adam", "eps": 1e-8}})
    two.send(config={"opt": {"beta": 0.9}, "data": [1, 2]})
    assert run.config() == {"lr": 0.1, "opt": {"name": "adam", "eps": 1e-8, "beta": 0.9}, "data": [1, 2]}


def test_a_key_goes_when_its_writer_stops_sending_it(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(config={"a": 1, "shared": 1, "n": {"x": 1, "y": 1}})
    two.send(config={"b": 2, "shared": 1})
    one.send(config={"a": 1, "n": {"x": 1}})
    assert run.config() == {"a": 1, "b": 2, "shared": 1, "n": {"x": 1}}
    two.send(config={"b": 2})
    assert run.config() == {"a": 1, "b": 2, "n": {"x": 1}}


def test_what_a_writer_never_sent_it_cannot_erase(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(config={"a": 1})
    two.send(config={})
    two.send(config={"b": 1})
    two.send(config={})
    assert run.config() == {"a": 1}


def test_the_last_change_wins(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(config={"lr": 1})
    two.send(config={"lr": 2})
    assert run.config() == {"lr": 2}
    one.send(config={"lr": 3})
    assert run.config() == {"lr": 3}


def test_sending_the_same_again_is_no_change(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(config={"lr": 1})
    two.send(config={"lr": 2})
    one.send(config={"lr": 1})
    assert run.config() == {"lr": 2}


def test_a_batch_without_config_leaves_it(run):
    w = run.join()
    w.send(config={"a": 1})
    w.send(history=[{"x": 1}])
    w.send()
    assert run.config() == {"a": 1}


def test_config_values_keep_their_kinds(run):
    doc = {"big": 12345678901234567890, "f": 0.1, "s": "ü", "n": None, "t": True, "l": [1, {"a": []}], "o": {}}
    run.join().send(config=doc)
    assert run.config() == doc


def test_nonfinite_numbers_in_documents(run):
    run.join().raw('{"writer":"w1","session":1,"batch":1,"config":{"a":NaN,"b":-Infinity},"summary":{"c":Infinity}}')
    assert run.config() == {"a": "NaN", "b": "-Infinity"}
    assert run.summary() == {"c": "Infinity"}


# --- config: lists that every process of the wandb SDK sends

def metric(name, step=None, **more):
    return {"1": name} | ({"5": step} if step else {}) | more


def test_definitions_of_metrics_are_united(run):
    """Each list counts its own entries from 1; of one name the last writer's entry holds, whole."""
    one, two, worker = run.join("c1"), run.join("c2"), run.join("c3", "worker")
    mine = [metric("loss", 2, **{"7": [1]}), metric("epoch"), {"2": "val/*", "5": 2}]
    one.send(config={"lr": 1, "_wandb": {"m": mine}})
    worker.send(config={"_wandb": {"m": []}})
    assert run.config() == {"lr": 1, "_wandb": {"m": [metric("epoch"), metric("loss", 1, **{"7": [1]}),
                                                      {"2": "val/*", "5": 1}]}}
    two.send(config={"_wandb": {"m": [metric("acc", 2), metric("batch"), metric("loss", 2)]}})
    assert run.config()["_wandb"]["m"] == [metric("acc", 2), metric("batch"), metric("epoch"), metric("loss", 2),
                                           {"2": "val/*", "5": 3}]
    assert run.conflicts() == []
    two.send(config={"_wandb": {"m": [metric("acc")]}})
    assert run.config()["_wandb"]["m"] == [metric("acc"), metric("epoch"), metric("loss", 2, **{"7": [1]}),
                                           {"2": "val/*", "5": 2}]
    one.send(config={"_wandb": {"m": []}})
    assert run.config() == {"_wandb": {"m": [metric("acc")]}}


def test_what_is_used_is_united(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(config={"_wandb": {"t": {"1": [1, 55], "3": [16, 2], "4": "3.11"}, "e": {"c1": {"os": "a"}}}})
    two.send(config={"_wandb": {"t": {"1": [5, 55], "2": [1], "3": [], "4": "3.12"}, "e": {"c2": {"os": "b"}}}})
    assert run.config() == {"_wandb": {"t": {"1": [1, 5, 55], "2": [1], "3": [2, 16], "4": "3.12"},
                                       "e": {"c1": {"os": "a"}, "c2": {"os": "b"}}}}
    assert run.conflicts() == []
    one.send(config={"_wandb": {"t": {"1": [55], "4": "3.11"}}})
    assert run.config() == {"_wandb": {"t": {"1": [5, 55], "2": [1], "4": "3.11"}, "e": {"c2": {"os": "b"}}}}


def test_lists_that_are_united_are_edited_whole(run):
    one = run.join("c1")
    one.send(config={"_wandb": {"m": [metric("b", 2), metric("a")], "t": {"1": [3, 1]}}})
    edit = {"_wandb": {"m": [metric("z")], "t": {"1": None}}}
    assert config_patch(run, edit).json == {"_wandb": {"m": [metric("z")], "t": {}}}
    assert config_patch(run, {"_wandb": {"m": None}}).json == {"_wandb": {"t": {}}}
    one.send(config={"_wandb": {"m": [metric("b"), metric("a")], "t": {"1": [3, 1]}}})
    assert run.config() == {"_wandb": {"m": [metric("a"), metric("b")], "t": {}}}


def test_definitions_of_many_metrics(run):
    """As older SDKs send them: an entry for each key that a pattern fits."""
    names = [f"val/{i}" for i in range(5000)]
    one, two = run.join("c1"), run.join("c2")
    one.send(config={"_wandb": {"m": [metric("step"), *(metric(n, 1) for n in names[:3000])]}})
    two.send(config={"_wandb": {"m": [*(metric(n, 4001) for n in names[1000:]), metric("step")]}})
    assert run.config()["_wandb"]["m"] == [metric("step"), *(metric(n, 1) for n in sorted(names))]


# --- edits by people

def test_an_edit_lies_on_top(run):
    w = run.join()
    w.send(config={"lr": 1, "opt": {"name": "adam", "eps": 1}})
    after = config_patch(run, {"lr": 5, "opt": {"eps": None}, "note": "by hand"}).json
    assert after == {"lr": 5, "opt": {"name": "adam"}, "note": "by hand"} == run.config()


def test_an_edit_holds_until_the_key_is_sent_with_a_new_value(run):
    w = run.join()
    w.send(config={"lr": 1, "wd": 1, "gone": 1})
    config_patch(run, {"lr": 5, "gone": None})
    w.send(config={"lr": 1, "wd": 2, "gone": 1})
    assert run.config() == {"lr": 5, "wd": 2}
    w.send(config={"lr": 7, "wd": 2, "gone": 1})
    assert run.config() == {"lr": 7, "wd": 2}
    w.send(config={"lr": 7, "wd": 2, "gone": 9})
    assert run.config() == {"lr": 7, "wd": 2, "gone": 9}


def test_an_edit_holds_when_a_writer_comes_with_the_old_value(run):
    run.join().send(config={"lr": 1})
    config_patch(run, {"lr": 5})
    late = run.join("w2", "worker")
    late.send(config={"lr": 1, "rank": 1})
    assert run.config() == {"lr": 5, "rank": 1}
    late.send(config={"lr": 2, "rank": 1})
    assert run.config() == {"lr": 2, "rank": 1}


def test_config_of_put_counts_as_an_edit(api, project):
    path = f"{project}/runs/r9"
    api.put(path, {"config": {"lr": 1, "seed": 3}})
    run = Run(api, "r9", project, make=False)
    assert run.config() == {"lr": 1, "seed": 3}
    run.join().send(config={"lr": 2})
    assert run.config() == {"lr": 2, "seed": 3}


def test_an_edit_without_writers(run):
    assert config_patch(run, {"a": {"b": 1}}, content_type="application/json").json == {"a": {"b": 1}}
    assert config_patch(run, {"a": {"c": 2, "b": None}}).json == {"a": {"c": 2}}


@pytest.mark.parametrize("noun", ["config", "summary"])
def test_an_object_in_the_place_of_a_deleted_one_begins_empty(run, noun):
    """RFC 7396, over two writers' parts and over what they send meanwhile."""
    def patch(body):
        return run.api.patch(f"{run.path}/{noun}", body).json

    one, two, path = run.join("c1"), run.join("c2", "worker"), f"{run.path}/{noun}"
    one.send(**{noun: {"o": {"a": 0, "x": 1}, "k": 1}})
    two.send(**{noun: {"o": {"y": 2, "in": {"p": 1}}}})
    assert patch({"o": None}) == {"k": 1}
    assert patch({"o": {"a": 1}}) == {"o": {"a": 1}, "k": 1}
    one.send(**{noun: {"o": {"a": 0, "x": 1}, "k": 2}})
    late = run.join("c3", "worker")
    late.send(**{noun: {"o": {"x": 1}}})
    assert run.api.get(path).json == {"o": {"a": 1}, "k": 2}
    two.send(**{noun: {"o": {"y": 3, "in": {"p": 1}}}})
    assert run.api.get(path).json == {"o": {"a": 1, "y": 3}, "k": 2}
    assert patch({"o": 5}) == {"o": 5, "k": 2}
    assert patch({"o": {"in": {"q": 1}}}) == {"o": {"in": {"q": 1}}, "k": 2}


@pytest.mark.parametrize("noun", ["config", "summary"])
def test_of_a_deleted_object_only_what_is_new_comes_back(run, noun):
    one = run.join("c1")
    one.send(**{noun: {"o": {"a": 1, "b": 1}}})
    run.api.patch(f"{run.path}/{noun}", {"o": None})
    one.send(**{noun: {"o": {"a": 1, "b": 2}}})
    assert run.api.get(f"{run.path}/{noun}").json == {"o": {"b": 2}}
    assert run.api.patch(f"{run.path}/{noun}", {"o": {"c": 3}}).json == {"o": {"b": 2, "c": 3}}


@pytest.mark.parametrize("noun", ["config", "summary"])
@pytest.mark.parametrize("body", ["[]", "1", '"x"', "null", '{"a":1,"a":2}', "{", ""])
def test_patch_must_be_an_object(run, noun, body):
    run.join().send(config={"k": 1}, summary={"k": 1})
    run.api.refused(400, "invalid", "PATCH", f"{run.path}/{noun}", body,
                    content_type="application/merge-patch+json")
    assert run.api.get(f"{run.path}/{noun}").json == {"k": 1}


# --- one value of a document

@pytest.mark.parametrize("noun", ["config", "summary"])
def test_one_value(run, noun):
    """By a JSON pointer; null where nothing is, and where null is."""
    path = f"{run.path}/{noun}"
    whole = {"opt": {"betas": [0.9, 0.999], "a/b": {"~": "x"}}, "none": None, "": 1}
    run.join().send(**{noun: whole})

    def at(pointer, **query):
        return run.api.get(path, pointer=pointer, **query).json
    assert at("") == run.api.get(path).json
    assert at("/opt") == whole["opt"] and at("/opt/betas") == [0.9, 0.999]
    assert at("/opt/betas/1") == 0.999 and at("/opt/a~1b/~0") == "x" and at("/") == 1
    assert [at(one) for one in ("/none", "/lr", "/opt/betas/2", "/opt/betas/-", "/opt/betas/01", "/opt/lr/x")] == [None] * 6
    for wrong in ("opt", "#/opt", "/opt/~2", "/~"):
        assert run.api.refused(400, "invalid", "GET", path, query={"pointer": wrong})["field"] == "pointer"
    assert at("/" + "a" * 999) is None
    run.api.refused(400, "invalid", "GET", path, query={"pointer": "/" + "a" * 1000})
    run.api.refused(400, "invalid", "PATCH", path, {"a": 1}, query={"pointer": "/opt"})


def test_one_value_has_an_etag_of_its_own(run):
    """It changes with the value, whatever else of the document does."""
    writer = run.join()
    writer.send(config={"lr": 0.1, "seed": 1})

    def tag(pointer):
        return run.api.request("GET", f"{run.path}/config", query={"pointer": pointer}).headers["ETag"]
    before = tag("/lr"), tag("/seed")
    writer.send(config={"lr": 0.1, "seed": 2})
    assert tag("/lr") == before[0] and tag("/seed") != before[1]
    assert run.api.request("GET", f"{run.path}/config", query={"pointer": "/lr"}, headers={"If-None-Match": before[0]}).status == 304


# --- ETag, If-Match, If-None-Match

@pytest.mark.parametrize("noun", ["config", "summary"])
def test_etag(run, noun):
    path = f"{run.path}/{noun}"
    w = run.join()
    w.send(**{noun: {"a": 1}})
    tag = run.api.get(path).headers["ETag"]
    assert tag.startswith('"') and run.api.get(path).headers["ETag"] == tag
    unchanged = run.api.request("GET", path, headers={"If-None-Match": tag})
    assert (unchanged.status, unchanged.body) == (304, b"")
    assert run.api.request("GET", path, headers={"If-None-Match": f'"other", {tag}'}).status == 304
    assert run.api.request("GET", path, headers={"If-None-Match": "*"}).status == 304

    edited = run.api.patch(path, {"b": 2}, headers={"If-Match": tag})
    assert edited.headers["ETag"] != tag
    assert edited.headers["ETag"] == run.api.get(path).headers["ETag"]
    run.api.refused(412, "precondition-failed", "PATCH", path, {"b": 3}, headers={"If-Match": tag})
    assert run.api.get(path).json == {"a": 1, "b": 2}
    now = run.api.get(path).headers["ETag"]
    run.api.refused(412, "precondition-failed", "PATCH", path, {"b": 3}, headers={"If-Match": f"W/{now}"})
    assert run.api.request("GET", path, headers={"If-None-Match": f"W/{now}"}).status == 304
    run.api.patch(path, {"b": 3}, headers={"If-Match": f'"other", {now}'})
    run.api.patch(path, {"b": 4}, headers={"If-Match": "*"})
    done = run.api.patch(path, {"b": 5}, headers={"If-None-Match": "*"})
    assert (done.status, done.json) == (200, {"a": 1, "b": 5})

    tag = run.api.get(path).headers["ETag"]
    w.send(**{noun: {"a": 5}})
    changed = run.api.request("GET", path, headers={"If-None-Match": tag})
    assert (changed.status, changed.json) == (200, {"a": 5, "b": 5})
    run.api.refused(412, "precondition-failed", "PATCH", path, {}, headers={"If-Match": tag})


# --- summary: the last value of each history key, overlaid by what was set

def test_summary_is_the_last_values(run):
    w = run.join()
    w.send(history=[{"loss": 3, "eval": {"f1": 0.5}}, {"loss": 2, "note": "x"}])
    w.send(history=[{"acc": 0.9}, {"loss": "bad"}, {"acc": float("nan")}])
    assert run.summary() == {"loss": "bad", "eval.f1": 0.5, "note": "x", "acc": "NaN"}


def test_the_last_row_decides_not_the_greatest_step(run):
    run.join().send(history=[{"_step": 9, "loss": 1}, {"_step": 3, "loss": 2}])
    assert run.summary() == {"loss": 2}


def test_explicit_values_lie_over_history(run):
    w = run.join()
    w.send(history=[{"loss": 3}], summary={"loss": 0.1, "best": {"acc": 0.9}})
    w.send(history=[{"loss": 2}])
    assert run.summary() == {"loss": 0.1, "best": {"acc": 0.9}}


def test_explicit_values_merge_per_key(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(summary={"best": {"acc": 0.9, "at": 3}, "a": 1})
    two.send(summary={"best": {"f1": 0.5}, "b": 2})
    one.send(summary={"best": {"acc": 0.95}})
    assert run.summary() == {"best": {"acc": 0.95, "at": 3, "f1": 0.5}, "a": 1, "b": 2}


def test_values_that_no_document_can_hold_stand_as_their_text(run, wait_for):
    """One such value may stop neither the summary nor the search over other runs; U+0000 has a form of its own."""
    texts = [br'"a\u0000b"', b'[{"a":1,"a":2}]', b"[1e999]", b"9" * 450]
    rows = b",".join(b'{"k%d":%s}' % (i, text) for i, text in enumerate(texts))
    run.api.post(f"{run.path}/history", b"[" + rows + b"]")
    summary = run.summary()
    assert [summary[f"k{i}"] for i in range(3)] == ["a␀b", *(text.decode() for text in texts[1:3])]
    other = Run(run.api, "other", run.path.rsplit("/runs/", 1)[0])
    wait_for(lambda: other.name in [r["id"] for r in run.api.pages(run.path.rsplit("/", 1)[0])])


def test_definitions_of_metrics_make_the_summary(run):
    """Of the numbers of all writers; what a process of the SDK sends of its own alone gives way."""
    one, two = run.join("c1"), run.join("c2", "worker")
    kinds = {"a": [2], "b": [1, 3, 5, 8], "c": [6], "d": [], "n": [1], "t": [1, 5]}
    one.send(config={"_wandb": {"m": [*({"1": key, "7": kind} for key, kind in kinds.items()), {"2": "v/*", "7": [1]}]}})
    one.send(history=[{"a": 5, "b": 2, "c": 1, "d": 1, "v/x": 3, "n": 1, "t": "x"}], summary={"a": {"max": 5}})
    two.send(history=[{"a": 4, "b": 6, "c": 2, "d": 2, "v/x": 4, "n": float("nan"), "t": "y", "v/y": 7}],
             summary={"a": {"max": 4, "mine": 1}, "d": 9})
    made = {"a": {"max": 5, "mine": 1}, "b": {"min": 2, "mean": 4, "last": 6, "first": 2}, "d": 9, "v/x": {"min": 3},
            "v/y": {"min": 7}, "n": {"min": "NaN"}, "t": {"last": "y"}}
    assert run.summary() == made
    one.send(history=[{"a": 8, "c": 3}])
    assert run.summary() == made | {"a": {"max": 8, "mine": 1}}
    one.send(config={})
    assert run.summary()["b"] == 6


def test_long_last_values_are_cut(run):
    run.log([{"text": "x" * 100_000, "list": [0] * 5000}])
    summary = run.summary()
    assert summary["text"] == "x" * 4091 + "..." and summary["list"] == "(10001 bytes)"
    assert run.values("text") == ["x" * 100_000]


def test_infinity_again_is_no_change(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    for writer in (one, two):
        writer.raw(writer.body(1, config={"p": float("inf"), "q": [float("nan")]}))
    assert run.conflicts() == []
    assert run.config() == {"p": "Infinity", "q": ["NaN"]}


def test_summary_edits(run):
    w = run.join()
    w.send(history=[{"loss": 3}], summary={"best": 1})
    after = run.api.patch(f"{run.path}/summary", {"loss": None, "best": 7, "verdict": "good"}).json
    assert after == {"best": 7, "verdict": "good"} == run.summary()
    w.send(summary={"best": 1})
    assert run.summary() == {"best": 7, "verdict": "good"}
    w.send(summary={"best": 2})
    assert run.summary() == {"best": 2, "verdict": "good"}
    w.send(history=[{"loss": 2}])
    assert run.summary() == {"best": 2, "verdict": "good", "loss": 2}


@pytest.mark.slow
@pytest.mark.parametrize("document", ["config", pytest.param("summary", marks=pytest.mark.long)])
def test_documents_have_a_limit(run, document):
    """16 MiB, of all writers together; the batch that goes beyond it is refused as a whole."""
    def part(letter, megabytes):
        return {f"{letter}{i}": "x" * 100_000 for i in range(megabytes * 10)}

    one, two = run.join("c1"), run.join("c2", "worker")
    problem = one.refused(422, "unprocessable", one.body(1, history=[{"v": 0}], **{document: part("a", 17)}))
    assert problem["field"] == document
    one.send(**{document: part("a", 9)})
    problem = two.refused(422, "unprocessable", two.body(1, history=[{"v": 0}], **{document: part("b", 9)}))
    assert problem["field"] == document
    assert run.rows() == []
    two.send_patiently(history=[{"v": 1}], **{document: {**part("a", 9), "b": 1}})
    assert run.values("v") == [1]
    shown = run.api.get(f"{run.path}/{document}").json
    assert len(shown) == 91 + (document == "summary")


@pytest.mark.parametrize("document", ["config", pytest.param("summary", marks=pytest.mark.long)])
def test_values_of_documents_are_bounded(run, document):
    """250,000 values: objects, arrays and scalars; in a batch, in an edit and of all writers together."""
    def part(name, values):
        return {name: [0] * (values - 2)}  # the object and the array are two

    one, two = run.join("c1"), run.join("c2", "worker")
    problem = one.refused(422, "unprocessable", one.body(1, **{document: part("a", 250_001)}))
    assert problem["field"].startswith(document)
    one.send(**{document: part("a", 250_000)})
    problem = two.refused(422, "unprocessable", two.body(1, **{document: {"b": 1}}))
    assert problem["field"] == document
    one.send(**{document: part("a", 249_999) if document == "config" else {"a": 0}})
    two.send(**{document: {"b": 1}})
    path = f"{run.path}/{document}"
    run.api.refused(422, "unprocessable", "PATCH", path, part("c", 250_001),
                    content_type="application/merge-patch+json")
    run.api.patch(path, {"c": 1})


@pytest.mark.long
@pytest.mark.parametrize("document", ["config", "summary"])
def test_long_names_above_many_values(run, document):
    """A way to a value has all names above it: 64 MiB of them, in one document and of all writers together."""
    def part(name, values):
        return {name * 10_000: {f"{i}": 1 for i in range(values)}}

    one, two = run.join("c1"), run.join("c2", "worker")
    problem = one.refused(422, "unprocessable", one.body(1, **{document: part("n", 10_000)}))
    assert problem["field"] == document and problem["hint"]
    one.send_patiently(**{document: part("n", 5_000)})
    assert two.refused(422, "unprocessable", two.body(1, **{document: part("m", 5_000)}))["field"] == document
    two.send(**{document: {"small": 1}})
    assert run.api.get(f"{run.path}/{document}").json == {**part("n", 5_000), "small": 1}


@pytest.mark.slow
@pytest.mark.parametrize("document", ["config", pytest.param("summary", marks=pytest.mark.long)])
def test_a_document_is_not_read_before_its_size_is_known(run, document):
    """Of 60 MiB of zeros, and of blanks, it is the bytes that are said to be too many."""
    one = run.join()
    for text in (b"[" + b"0," * (30 << 20) + b"0]", b"[0" + b" " * (17 << 20) + b"]"):
        body = one.body(1)[:-1] + b',"%s":{"a":%s}}' % (document.encode(), text)
        problem = one.refused(422, "unprocessable", body, encoding="zstd")
        assert problem["field"] == document and "bytes" in problem["detail"]
    one.send(**{document: {"a": "x" * ((16 << 20) - 8)}})


# --- conflicts

def test_config_conflicts_are_kept(run):
    one, two = run.join("c1", label="one"), run.join("c2", "worker", label="two")
    one.send(config={"lr": 1, "same": 1, "opt": {"eps": 1}})
    assert run.conflicts() == []
    two.send(config={"lr": 2, "same": 1, "opt": {"eps": 5, "beta": 1}})
    found = {c["key"]: c for c in run.conflicts()}
    assert set(found) == {"lr", "opt.eps"}
    lr = found["lr"]
    assert (lr["document"], lr["count"]) == ("config", 1)
    assert sorted((w["label"], w["value"]) for w in lr["writers"]) == [("one", 1), ("two", 2)]
    one.send(config={"lr": 3, "same": 1, "opt": {"eps": 1}})
    lr = {c["key"]: c for c in run.conflicts()}["lr"]
    assert lr["count"] == 2
    assert sorted((w["label"], w["value"]) for w in lr["writers"]) == [("one", 3), ("two", 2)]


def test_summary_conflicts_are_of_explicit_values_only(run):
    one, two = run.join("c1", label="one"), run.join("c2", "worker", label="two")
    one.send(history=[{"loss": 1}], summary={"best": 1})
    two.send(history=[{"loss": 2}], summary={"best": 2})
    found = run.conflicts()
    assert [(c["document"], c["key"], c["count"]) for c in found] == [("summary", "best", 1)]


def test_a_conflict_has_at_most_eight_writers(run):
    for i in range(12):
        run.join(f"c{i}", "worker").send(config={"lr": i})
    conflict, = run.conflicts()
    assert len(conflict["writers"]) == 8
    assert {"writer": 11, "label": "c11", "value": 11} in conflict["writers"], "the value that holds"
    assert conflict["count"] == 11
    assert run.config() == {"lr": 11}


def test_conflicts_page_by_page(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(config={f"k{i:02}": 0 for i in range(25)}, summary={f"s{i}": 0 for i in range(5)})
    two.send(config={f"k{i:02}": 1 for i in range(25)}, summary={f"s{i}": 1 for i in range(5)})
    whole = [("config", f"k{i:02}") for i in range(25)] + [("summary", f"s{i}") for i in range(5)]
    for limit in (1, 7, 30):
        got = run.api.pages(f"{run.path}/conflicts", limit=limit)
        assert [(c["document"], c["key"]) for c in got] == whole
    run.api.refused(400, "invalid", "GET", f"{run.path}/conflicts", query={"limit": 0})


@pytest.mark.parametrize("document", ["config", "summary"])
def test_conflicts_of_very_long_keys(run, document):
    """The document keeps the key whole; in the list it is cut, and two of them stay two."""
    one, two = run.join("c1"), run.join("c2", "worker")
    keys = ["ü" * 5000 + end for end in "ab"]
    one.send(**{document: {key: 1 for key in keys}})
    two.send(**{document: {key: 2 for key in keys}})
    assert run.api.get(f"{run.path}/{document}").json == {key: 2 for key in keys}
    found = run.api.pages(f"{run.path}/conflicts", limit=1)
    assert len({c["key"] for c in found}) == 2
    assert all(c["key"].startswith("ü" * 200) and len(c["key"].encode()) <= 512 for c in found)


@pytest.mark.parametrize("document", ["config", pytest.param("summary", marks=pytest.mark.long)])
def test_conflicts_of_large_values(run, document):
    """What is remembered of them stays small, so that it can be read and added to."""
    for i in range(5):
        run.join(f"c{i}", "worker").send(**{document: {"k": [i] * 90_000, "text": f"{i}" * 90_000}})
    found = {c["key"]: c for c in run.conflicts()}
    assert {key: c["count"] for key, c in found.items()} == {"k": 4, "text": 4}
    assert {w["value"] for w in found["k"]["writers"]} == {"(180001 bytes)"}
    assert [w["value"] for w in found["text"]["writers"]][0].endswith("...")


def test_a_repeat_is_no_conflict(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(config={"lr": 1})
    two.send(config={"lr": 2})
    two.repeat()
    one.repeat()
    assert [c["count"] for c in run.conflicts()] == [1]
