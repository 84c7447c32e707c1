"""Names of files that cannot be stored as they are have another form; those of no file cost no other file its place."""
import urllib.parse

import pytest

CREATE = """mutation($f: [String!]!, $e: String!, $p: String!, $r: String!) {
    createRunFiles(input: {files: $f, entityName: $e, projectName: $p, runName: $r}) { files { name uploadUrl } } }"""


def log_files():
    import pathlib

    import wandb
    pathlib.Path("good.txt").write_text("good")
    pathlib.Path("a\\b.txt").write_text("odd")
    with wandb.init(id="r1") as run:
        run.log({"ok": wandb.Html("<p>x</p>"), "$\\alpha$": wandb.Html("<p>y</p>")})
        run.save("good.txt", policy="now")
        run.save("a\\b.txt", policy="now")
        path = f"{run.entity}/{run.project}/r1"
    run = wandb.Api().run(path)
    names = [file.name for file in run.files()]
    return {"names": names, "all": {name: run.file(name).download(root="all").read() for name in names},
            "asked": run.file("a\\b.txt").download(root="asked").read(),
            "there": pathlib.Path("asked/a\\b.txt").exists()}


@pytest.mark.feature("files: one whose name has a backslash is kept, and costs no other file")
def test_files(client, read):
    got = client.call(log_files).value
    assert {"config.yaml", "requirements.txt", "wandb-metadata.json", "good.txt", "a＼b.txt"} <= set(got["names"])
    assert sum(name.startswith("media/html/") for name in got["names"]) == 2
    [page] = [text for name, text in got["all"].items() if "$＼alpha$" in name]
    assert "<p>y</p>" in page
    assert (got["asked"], got["there"], got["all"]["good.txt"]) == ("odd", True, "good")
    run = read("r1")
    for name in ("a\\b.txt", "a＼b.txt"):
        assert run.api.raw("GET", f"{run.path}/files/{urllib.parse.quote(name, safe='')}").body == b"odd"
    assert run.api.pages(f"{run.path}/left-out") == []


def test_files_of_any_name(wire, read):
    """As many as were asked for come back, by the names that were asked; only names of no file have no link."""
    wire.start("r1")
    asked = ["good.txt", "a\\b", "a\tb", "＼", "n" * 1025, "../x", "/etc/passwd", "", "a//b"]
    made = wire.query(CREATE, f=asked, e="ann", p=wire.project, r="r1")["createRunFiles"]["files"]
    assert [file["name"] for file in made] == asked
    assert [bool(file["uploadUrl"]) for file in made] == [True] * 5 + [False] * 4
    for file in made[:5]:
        parts = urllib.parse.urlsplit(file["uploadUrl"])
        assert wire.send("PUT", f"{parts.path}?{parts.query}", b"x", key=False).status == 204, file
    run = read("r1")
    names = [file["name"] for file in run.api.pages(f"{run.path}/files")]
    assert set(names) > {"good.txt", "a＼b", "a␉b", "‛＼"}
    [long] = set(names) - {"good.txt", "a＼b", "a␉b", "‛＼"}
    assert len(long.encode()) == 1024 and long.startswith("n" * 900)
    assert run.api.raw("GET", f"{run.path}/files/a%09b").body == b"x"
    run.api.refused(400, "invalid", "PUT", f"{run.path}/files/a%5Cb", b"x")
    assert sorted(each["reason"] for each in run.api.pages(f"{run.path}/left-out")) == ["name-invalid"] * 4 + ["value-too-large"]
