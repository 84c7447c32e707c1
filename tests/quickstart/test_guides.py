"""docs/client.md and the pages of docs/operating.md are true: commands run, a program is compiled, names exist."""
import json
import pathlib
import re
import subprocess
import urllib.request

import pytest

from cluster import wait_until
from installed import install, script

TOP = pathlib.Path(__file__).resolve().parents[2]
CLIENT = (TOP / "docs/client.md").read_text()
OPERATING = "\n".join((TOP / f"docs/{name}.md").read_text()
                      for name in ["install", "settings", "users", "tls", "backup", "monitoring"])


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def patient(environment, folder):
    """`cairn run` waits as long as it takes for a server that it has not reached yet: a busy machine is slow."""
    more = 'if [ "$1" = run ]; then shift; set -- run --finish-timeout 120 "$@"; fi'
    script(folder / "bin/cairn", f'{more}\nexec {folder}/prefix/bin/cairn "$@"')
    return environment


@pytest.fixture
def shell(server, tmp_path):
    """shell(commands): in a folder with a program to train, cairn installed, and the server known."""
    environment = {**patient(install(tmp_path), tmp_path), "CAIRN_URL": f"http://127.0.0.1:{server.port}",
                   "CAIRN_API_KEY_FILE": str(server.key_file), "CAIRN_PROJECT": "me/guide"}
    script(tmp_path / "train", 'echo "rank $1"')
    (tmp_path / "train.py").write_text("print('epoch 1')\n")

    def run(commands):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=tmp_path, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    return run


def test_commands_of_the_client(shell):
    """But for the first two blocks: they name a server of somebody else."""
    _, _, wrapped, inside, artifacts, many, _ = blocks(CLIENT, "sh")
    assert shell(wrapped) == "epoch 1\n"
    shell(inside)
    said = shell(f"mkdir checkpoints; echo weights > checkpoints/last; {artifacts}")
    assert "net:v0  1 files" in said and "there has the files of net:best" in said
    shell(many)

    def rows_of_runs():
        listed = shell('curl -sS -u "api:$(cat "$CAIRN_API_KEY_FILE")" -G '
                       '"$CAIRN_URL/api/v1/projects/me/guide/runs" --data-urlencode order=created_at')
        return [run["rows"] for run in json.loads(listed)["items"]]

    # On a busy machine a list may say that it is behind.
    wait_until(lambda: rows_of_runs()[:2] == [0, 3], what="runs in the list")
    writers = shell("cairn show night-1 --only writers")
    assert re.search(r"rank0 +primary +ended", writers) and re.search(r"rank1 +worker +ended", writers)


def test_program_of_the_client_guide(shell, tmp_path):
    [program] = blocks(CLIENT, "c")
    (tmp_path / "first.c").write_text(program)
    shell(blocks(CLIENT, "sh")[-1])
    shell("CAIRN_RUN=first ./first")
    shown = shell("cairn show first --only run; cairn show first --only summary")
    assert "finished" in shown and "0.99" in shown


@pytest.mark.parametrize("page", [page.name for page in TOP.glob("*.md")] +
                         [f"docs/{page.name}" for page in TOP.glob("docs/*.md")] + ["examples/digits/README.md"])
def test_links(page):
    """What a page of ours points to is there, the heading too."""
    for path, heading in re.findall(r"\]\(([^):#]*)(?:#([^)]*))?\)", (TOP / page).read_text()):
        target = (TOP / page).parent / path if path else TOP / page
        assert target.exists(), path
        if heading:
            titles = re.findall(r"^#+ (.*)$", target.read_text(), re.M)
            assert heading in [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles], heading


def test_login(shell):
    shell('cairn login "$CAIRN_URL" --key-file "$CAIRN_API_KEY_FILE"')
    shell("unset CAIRN_URL CAIRN_API_KEY_FILE; cairn run -- true; cairn ls")
    shell("cairn doctor")


def test_metrics_are_all_told_of(server):
    """Both ways: what is told of exists, and what exists is told of."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics") as answer:
        there = set(re.findall(r"^# TYPE (\w+)", answer.read().decode(), re.M))
    section = OPERATING.partition("## Health and metrics")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(cairn_\w+)", section))
    told |= {f"cairn_ingest{ending}" for ending in re.findall(r"`(_\w+_total)`", section)}
    # a server tells of a replica and of a certificate only where it has one (tests/api/test_replica.py, test_tls.py)
    assert {name for name in told if not name.startswith(("cairn_replica_", "cairn_tls_"))} == there


def test_settings_exist(shell):
    """Words in code marks that look like settings, and options of `cairnd serve`."""
    names = set(re.findall(r"^(?:# )?(\w+) (?:=|is not set)", shell("cairnd --print-config"), re.M))
    options = set(re.findall(r"--([a-z-]+)", "".join(line for line in OPERATING.splitlines(True)
                                                     if line.startswith("cairnd serve"))))
    own = set(re.findall(r"--([a-z-]+)", shell("cairnd serve --help")))
    assert {option.replace("-", "_") for option in options - own - {"config"}} <= names
    variables = {v.lower() for v in re.findall(r"CAIRN_([A-Z_]+)=", OPERATING)}
    assert variables - {"url", "api_key_file"} <= names  # these are of clients
