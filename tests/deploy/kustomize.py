"""The features of kustomize that the manifests use: resources, namespace, images, replicas, and JSON patches. A test compares it with kustomize
itself where a machine has that. Debian 12 has none that is new enough, and no package registry of Python's or Node's brings one."""
import copy

import yaml

KNOWN = {"apiVersion", "kind", "resources", "namespace", "images", "replicas", "patches"}
PODS = {"Deployment"}


def render(folder):
    """All objects of a kustomization."""
    told = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert told["kind"] == "Kustomization" and set(told) <= KNOWN, f"{folder}: {set(told) - KNOWN}"
    objects = [one for path in told["resources"] for one in load((folder / path).resolve())]
    for patch in told.get("patches", []):
        hits = [one for one in objects if is_target(one, patch["target"])]
        assert hits, f"{folder}: a patch of {patch['target']} patches nothing"
        for one in hits:
            for step in yaml.safe_load(patch["patch"]):
                apply(one, **step)
    for one in objects:
        if "namespace" in told:
            one["metadata"]["namespace"] = told["namespace"]
        for replicas in told.get("replicas", []):
            if one["kind"] in PODS and one["metadata"]["name"] == replicas["name"]:
                one["spec"]["replicas"] = replicas["count"]
        for image in told.get("images", []):
            set_image(one, **image)
    return objects


def load(path):
    return render(path) if path.is_dir() else [one for one in yaml.safe_load_all(path.read_text()) if one]


def is_target(one, target):
    assert set(target) <= {"kind", "name"}
    return one["kind"] == target["kind"] and one["metadata"]["name"] == target.get("name", one["metadata"]["name"])


def apply(one, op, path, value):
    """RFC 6902, of which "add" and "replace"."""
    *parents, last = [word.replace("~1", "/").replace("~0", "~") for word in path.split("/")[1:]]
    place = one
    for word in parents:
        place = place[int(word) if isinstance(place, list) else word]
    value = copy.deepcopy(value)
    if isinstance(place, list):
        at = len(place) if last == "-" else int(last)
        place[at:at + (op == "replace")] = [value]
    else:
        assert op == "add" or last in place, f"there is no {path} to replace"
        place[last] = value


def set_image(one, name, newName, newTag):  # noqa: N803
    for container in one["spec"]["template"]["spec"]["containers"] if one["kind"] in PODS else []:
        if container["image"] == name:
            container["image"] = f"{newName}:{newTag}"
