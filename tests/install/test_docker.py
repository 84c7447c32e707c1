"""docker/ without an engine: the files that are built and run, as far as reading them tells. tests/docker runs them."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
DOCKER = TOP / "docker"
VERSION = (TOP / "VERSION").read_text().strip()
DOCKERFILES = ["Dockerfile", "Dockerfile.standalone"]
PROFILES = {None: {"setup", "db", "cairnd"}, "tls": {"setup", "db", "cairnd", "proxy"},
            "scale": {"setup", "db", "cairnd", "cairnd-2", "proxy"},
            "monitoring": {"setup", "db", "cairnd", "prometheus", "grafana"}}


def text_of(name):
    return (DOCKER / name).read_text()


def instructions(name):
    """(word, the rest in one line) of a Dockerfile."""
    joined = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", text_of(name), flags=re.M))
    return [line.strip().split(None, 1) for line in joined.splitlines() if line.strip()]


def sent():
    """Lists the paths that .dockerignore lets into the context."""
    lines = [line for line in (TOP / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    return [line[1:] for line in lines if line.startswith("!")]


# ---- Dockerfiles ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DOCKERFILES)
def test_what_is_copied_exists_and_is_sent(name):
    copied = [rest.split() for word, rest in instructions(name) if word == "COPY" and not rest.startswith("--from")]
    sources = [source for words in copied for source in words[:-1]]
    assert len(sources) > 10
    for source in sources:
        assert (TOP / source).exists(), source
        assert any(source == path or source.startswith(f"{path}/") for path in sent()), f"{source} is not in the context"


@pytest.mark.parametrize("name", DOCKERFILES)
def test_programs_that_are_run_were_copied(name):
    """mirrors, packages-of and the like, in the stage that calls them; they are executable in git."""
    ours = {path.name for path in DOCKER.iterdir() if path.is_file() and path.read_text().startswith("#!")}
    copied = set()
    for word, rest in instructions(name):
        if word == "FROM":
            copied = set()
        elif word == "COPY":
            copied |= {pathlib.Path(source).name for source in rest.split()[:-1]}
        elif word == "RUN":
            called = {program for program in ours if re.search(rf"(^|[|&;] ?){re.escape(program)} ", rest)}
            assert called <= copied, called - copied
    for program in ours:
        assert os.access(DOCKER / program, os.X_OK), program


@pytest.mark.parametrize("name", DOCKERFILES)
def test_stages_that_are_copied_from_exist(name):
    stages = {rest.split(" AS ")[1] for word, rest in instructions(name) if word == "FROM" and " AS " in rest}
    used = {match for word, rest in instructions(name) if word == "COPY" for match in re.findall(r"--from=(\S+)", rest)}
    assert used and used <= stages


@pytest.mark.parametrize("name", DOCKERFILES)
def test_form(name):
    """No front end from a registry, no heredocs, one base; the final stage is unprivileged and is given time to start."""
    text, words = text_of(name), instructions(name)
    assert not re.search(r"^#\s*syntax\s*=|<<-?[\"'A-Z]|--mount", text, re.M)
    assert {rest.split()[0] for word, rest in words if word == "FROM"} == {"${BASE_IMAGE}"}
    last = {}
    for word, rest in words:
        last[word] = rest
    assert last["USER"] == "cairn" and last["ENTRYPOINT"] == '["cairnd"]' and last["CMD"] == '["serve"]'
    assert "--start-period=24h" in last["HEALTHCHECK"] and last["HEALTHCHECK"].endswith('CMD ["cairnd", "healthcheck"]')
    assert f"\nARG VERSION={VERSION}\n" in text


def stage_build(name):
    text = text_of(name)
    return re.search(r"^FROM \S+ AS build\n.*?\n\n", text, re.M | re.S)[0]


def test_both_are_built_the_same_way():
    """So the second build takes the first one's."""
    assert stage_build("Dockerfile") == stage_build("Dockerfile.standalone")


# ---- compose.yaml -------------------------------------------------------------------------------------


def filled_in(text, **variables):
    """As compose fills variables in: ${NAME:-default}."""
    def value(match):
        return variables.get(match[1]) or match[2]
    filled = re.sub(r"\$\{(\w+):-([^}]*)\}", value, text)
    assert "$" not in re.sub(r"(?m)#.*$", "", filled)
    return filled


def services(profile):
    loaded = yaml.safe_load(filled_in(text_of("compose.yaml")))["services"]
    return {name: service for name, service in loaded.items() if profile in service.get("profiles", [profile])}


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles(profile):
    """Each has the services that it needs, and these have only what exists."""
    compose = yaml.safe_load(filled_in(text_of("compose.yaml")))
    chosen = services(profile)
    assert set(chosen) == PROFILES[profile]
    for name, service in chosen.items():
        assert set(service.get("depends_on", {})) <= set(chosen), name
        assert set(service.get("networks", {})) <= set(compose["networks"]), name
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (DOCKER / source).exists(), f"{name}: {source}"
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["mem_limit"] and service["pids_limit"], name
        assert service["logging"]["options"]["max-file"] == "3" and "no-new-privileges:true" in service["security_opt"], name
        if name == "db" or name.startswith("cairnd"):
            assert service["healthcheck"]["start_period"] == "24h", name


def test_a_build_does_not_take_the_tag_of_another_version():
    """The image is named by its version; the name without one is an alias."""
    setup = services(None)["setup"]
    assert setup["image"] == f"cairn:{VERSION}" and setup["build"]["tags"] == ["cairn"]
    assert all(service["image"] == setup["image"] for name, service in services("scale").items() if name.startswith("cairnd"))
    readme = text_of("README.md")
    assert set(re.findall(r"cairn(?:-standalone)?:(\d[\w.]+)", readme)) == {VERSION}


def test_variables_are_in_the_readme():
    names = set(re.findall(r"\$\{(\w+):-", text_of("compose.yaml")))
    assert len(names) > 15
    assert not [name for name in names if f"`{name}" not in text_of("README.md")]


def test_secrets_of_the_host_are_seen_by_the_setup_alone():
    compose = yaml.safe_load(filled_in(text_of("compose.yaml"), CAIRN_SECRETS="/srv/secrets"))["services"]
    assert [name for name, service in compose.items() if any(v.startswith("/srv/secrets:") for v in service["volumes"])] == ["setup"]
    assert all("secrets:/run/secrets:ro" in compose[name]["volumes"] for name in ("db", "cairnd", "cairnd-2"))


def has_compose():
    return shutil.which("docker") and subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0


@pytest.mark.skipif(not has_compose(), reason="no docker compose here; the tests above read the file")
@pytest.mark.parametrize("profile", PROFILES)
def test_compose_reads_it(profile):
    words = ["--profile", profile] if profile else []
    done = subprocess.run(["docker", "compose", "-f", DOCKER / "compose.yaml", *words, "config", "--format", "json"],
                          capture_output=True, text=True, timeout=60,
                          env={name: value for name, value in os.environ.items() if not name.startswith(("CAIRN_", "COMPOSE_"))})
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["services"]) == PROFILES[profile]


# ---- the secrets --------------------------------------------------------------------------------------


def secrets_script(tmp_path, kept, shared):
    """cairn-setup with other folders than those of the container."""
    script = tmp_path / "setup"
    script.write_text(text_of("setup").replace("kept=/secrets", f"kept={kept}").replace("shared=/run/secrets", f"shared={shared}"))
    named = [] if kept == shared else [kept]
    return subprocess.run(["sh", script, "http://here", *named], capture_output=True, text=True, timeout=60)


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files to others")
def test_secrets_are_made_for_the_owner_of_the_folder(tmp_path):
    kept, shared = tmp_path / "kept", tmp_path / "shared"
    for folder in (kept, shared):
        folder.mkdir()
    os.chown(kept, 4711, 4712)
    done = secrets_script(tmp_path, kept, shared)
    assert done.returncode == 0 and done.stderr == "", done
    assert {path.name for path in kept.iterdir()} == {path.name for path in shared.iterdir()} == {"db_password", "database_url"}
    for path in kept.iterdir():
        assert (path.stat().st_uid, path.stat().st_gid, path.stat().st_mode & 0o777) == (4711, 4712, 0o400)
        assert (shared / path.name).read_text() == path.read_text() and (shared / path.name).stat().st_mode & 0o777 == 0o444
    (kept / "database_url").write_text("postgresql://cairn:other@elsewhere/cairn")
    assert secrets_script(tmp_path, kept, shared).returncode == 0
    assert "elsewhere" in (shared / "database_url").read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files to others")
@pytest.mark.parametrize("there, line", [
    ({"database_url": "x"}, "db_password is missing in"),
    ({"db_password": ""}, "is empty"),
    ({"db_password": "a/b@c"}, "characters that are not allowed in a URL"),
    ({"db_password": "abc", "database_url": ""}, "database_url in the volume of the secrets is empty"),
])
def test_secrets_that_are_wrong(tmp_path, there, line):
    folder = tmp_path / "secrets"
    folder.mkdir()
    for name, content in there.items():
        (folder / name).write_text(content)
    done = secrets_script(tmp_path, folder, folder)
    assert done.returncode == 78 and line in done.stderr and done.stderr.count("\n") == 1, done
    assert {path.name for path in folder.iterdir()} == set(there)
