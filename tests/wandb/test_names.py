"""Names of runs and projects as the SDK lets them through: blanks, letters of all alphabets, signs."""
import unicodedata
import urllib.parse

import pytest

RUNS = ["größe", unicodedata.normalize("NFD", "größe"), "日本語 😀", "x+y=z&(w)~!", "-dash_", ".hidden",
        "a|b^c`d", '"<b>"', "{[$HOME]}", "*@host", "back\\slash", "ü" * 100]
PROJECTS = ["größe", "-x;y'q \"r\"", "a+b&c=d", "<i>~!@$^*(),|{}[]", ".p", "ü" * 128]
REFUSED_RUNS = [".", "..", "100%", "a%41b", "tab\tin"]


def train_all(places):
    """A run for each name in each project, with rows, a file and console; read back through the public API."""
    import pathlib

    import wandb
    pathlib.Path("kept.txt").write_text("kept")
    api = wandb.Api()

    def train(project, name):
        with wandb.init(id=name, project=project, config={"name": name}) as run:
            run.log({"a": 1})
            run.log({"a": 2})
            run.save("kept.txt", policy="now")
            url = run.url
        back = api.run(f"{run.entity}/{project}/{name}")
        file = back.file("kept.txt").download(root="back", replace=True)
        return {"id": back.id, "project": back.project, "config": back.config["name"], "url": url,
                "rows": [row["a"] for row in back.scan_history()], "file": file.read(), "state": back.state}

    return {project: {name: train(project, name) for name in names} for project, names in places.items()}


def list_all(projects):
    import wandb
    api = wandb.Api()
    return {project: sorted(run.id for run in api.runs(f"ann/{project}")) for project in projects}


@pytest.fixture
def train_and_check(client, api, wait_for):
    """train_and_check(places): lists are asked when what is searched has come up with the runs."""
    def count(project):
        path = f"/api/v1/projects/ann/{urllib.parse.quote(project, safe='')}/runs"
        return api.get(path, count="true").json["count"]

    def made(places):
        check(client.call(train_all, places=places).value, places)
        for project, names in places.items():
            wait_for(lambda: count(project) == len(names), what=f"runs of {project}")
        assert client.call(list_all, projects=list(places)).value == {
            project: sorted(names) for project, names in places.items()}
    return made


def check(shown, places):
    for project, names in places.items():
        for name in names:
            url = shown[project][name].pop("url")
            assert shown[project][name] == {"id": name, "project": project, "config": name, "rows": [1, 2],
                                            "file": "kept", "state": "finished"}, name
            assert url.count("/") == 6, url


@pytest.mark.long_if_old
@pytest.mark.feature("names: runs and projects with blanks, all alphabets and signs")
def test_runs_of_any_name(train_and_check, project, api):
    train_and_check({project: RUNS})
    for name in RUNS:
        head = api.get(f"/api/v1/projects/ann/{project}/runs/{urllib.parse.quote(name, safe='')}").json
        assert (head["id"], head["rows"]) == (name, 2)


@pytest.mark.long
@pytest.mark.feature("names: runs and projects with blanks, all alphabets and signs")
def test_projects_of_any_name(train_and_check, api, version):
    places = {f"{made} {version}"[-128:]: ["r 1"] for made in PROJECTS}
    train_and_check(places)
    named = [each["name"] for each in api.pages("/api/v1/projects/ann")]
    assert set(places) <= set(named)


def be_refused(names):
    import wandb
    told = {}
    for name in names:
        try:
            wandb.init(id=name).finish()
        except wandb.Error as e:
            told[name] = str(e)
    return told


@pytest.mark.long_if_old
@pytest.mark.feature("names: runs and projects with blanks, all alphabets and signs")
def test_names_that_are_refused(client):
    told = client.call(be_refused, names=REFUSED_RUNS).value
    assert set(told) == set(REFUSED_RUNS), told
    assert all("run id" in sentence for sentence in told.values()), told
