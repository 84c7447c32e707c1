"""What the images are, before anything runs."""
import re

import pytest

from conftest import DOCKER, TOP

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
    assert config["Healthcheck"]["Test"] == ["CMD", "cairnd", "healthcheck"]


@pytest.mark.parametrize("name", MOST)
def test_programs(engine, images, name):
    version = (TOP / "VERSION").read_text().strip()
    for program in ("cairnd", "cairn"):
        told = engine("run", "--rm", "--read-only", "--cap-drop", "ALL", "--network", "none", "--entrypoint", program, name, "--version")
        assert told.split() == [program, version]


def stage_build(dockerfile):
    return re.search(r"^ARG BASE_IMAGE.*?(?=\n\n(?:#.*\n)?FROM )", (DOCKER / dockerfile).read_text(), re.M | re.S)[0] + re.search(
        r"^FROM \S+ AS build\n.*?\n\n", (DOCKER / dockerfile).read_text(), re.M | re.S)[0]


def test_both_are_built_the_same_way():
    assert stage_build("Dockerfile") == stage_build("Dockerfile.standalone")


@pytest.mark.parametrize("dockerfile", ["Dockerfile", "Dockerfile.standalone"])
def test_an_old_builder_reads_it(dockerfile):
    """Without a front end from a registry, and without heredocs."""
    text = (DOCKER / dockerfile).read_text()
    assert not re.search(r"^#\s*syntax\s*=|<<-?[\"'A-Z]|--mount", text, re.M)
