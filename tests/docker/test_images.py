"""What the images are, before anything runs."""
import pytest

from containers import TOP

MOST = {"cairn": 130e6, "cairn-standalone": 220e6}


@pytest.mark.parametrize("name", MOST)
def test_size(images, name):
    print(f"figure: image {name} {images[name]['Size'] / 1e6:.0f} MB")
    assert images[name]["Size"] < MOST[name]


@pytest.mark.parametrize("name", MOST)
def test_configuration(images, name):
    config = images[name]["Config"]
    labels = config["Labels"]
    assert labels["org.opencontainers.image.version"] == (TOP / "VERSION").read_text().strip()
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0" and labels["org.opencontainers.image.revision"]
    assert (config["User"], config["Entrypoint"], config["Cmd"]) == ("cairn", ["cairnd"], ["serve"])
    assert config["Healthcheck"]["Test"] == ["CMD", "cairnd", "healthcheck"] and config["Healthcheck"]["StartPeriod"] == 24 * 3600 * 10**9


@pytest.mark.parametrize("name", MOST)
def test_programs(engine, images, name):
    version = (TOP / "VERSION").read_text().strip()
    for program in ("cairnd", "cairn"):
        told = engine("run", "--rm", "--read-only", "--cap-drop", "ALL", "--network", "none", "--entrypoint", program, name, "--version")
        assert told.split() == [program, version]


@pytest.mark.parametrize("name", MOST)
def test_programs_of_postgresql(engine, images, name):
    """A backup, a restore and a rollback need them, with their libraries."""
    for program in ("pg_dump", "pg_restore", "psql"):
        told = engine("run", "--rm", "--read-only", "--network", "none", "--entrypoint", "sh", name, "-c",
                      f"/usr/lib/postgresql/*/bin/{program} --version")
        assert told.startswith(f"{program} (PostgreSQL) 17."), told
