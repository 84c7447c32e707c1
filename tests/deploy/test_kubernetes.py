"""The manifests, rendered, against the schemas of the API and against what the image and the server are."""
import json
import re
import shutil
import subprocess

import jsonschema_rs
import kubernetes_validate
import pytest
import yaml

from conftest import DEPLOY, TOP
from kustomize import render
from server import cairnd

FOLDER = DEPLOY / "kubernetes"
KUSTOMIZATIONS = ["base", "monitoring", "overlays/example"]
VERSIONS = ("1.29", "1.33")  # of the API
OWN = {"ServiceMonitor": json.loads((TOP / "tests/deploy/servicemonitor.schema.json").read_text())}


def objects(name="overlays/example"):
    return {one["kind"]: one for one in render(FOLDER / name)}


def validate(one, version):
    if one["kind"] in OWN:
        jsonschema_rs.validate(OWN[one["kind"]], one)
    else:
        kubernetes_validate.validate(one, version, strict=True)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", KUSTOMIZATIONS)
def test_fits_the_schemas(name, version):
    for one in render(FOLDER / name):
        validate(one, version)
    validate(yaml.safe_load((FOLDER / "secret.example.yaml").read_text()), version)


def test_the_schemas_find_mistakes():
    wrong = objects()
    wrong["Deployment"]["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    wrong["Service"]["spec"]["ports"][0]["port"] = "http"
    wrong["ServiceMonitor"]["spec"]["endpoints"][0]["intervall"] = "30s"
    for kind in ("Deployment", "Service", "ServiceMonitor"):
        with pytest.raises((kubernetes_validate.ValidationError, jsonschema_rs.ValidationError)):
            validate(wrong[kind], VERSIONS[0])


def kustomize_of_this_machine():
    """None where there is none, or one of before 2021, as Debian 12's."""
    if program := shutil.which("kustomize"):
        return [program, "build"]
    if program := shutil.which("kubectl"):
        told = subprocess.run([program, "version", "--client"], capture_output=True, text=True).stdout
        if re.search(r"Kustomize Version: v[45]", told):
            return [program, "kustomize"]
    return None


@pytest.mark.parametrize("name", KUSTOMIZATIONS)
def test_kustomize_renders_the_same(name):
    program = kustomize_of_this_machine()
    if not program:
        pytest.skip("no kustomize here")
    done = subprocess.run([*program, FOLDER / name], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    theirs = {one["kind"]: one for one in yaml.safe_load_all(done.stdout)}
    assert theirs == objects(name)


def test_all_kinds_are_there_and_no_secret():
    assert set(objects()) == {"Deployment", "PersistentVolumeClaim", "Service", "Ingress", "PodDisruptionBudget", "NetworkPolicy",
                              "ServiceMonitor"}
    assert all(one["metadata"]["namespace"] == "cairn" for one in objects().values())


def test_the_pod_is_restricted():
    """As the Pod Security Standard "restricted" asks, and more."""
    pod = objects()["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    user = int(re.search(r"useradd --uid (\d+)", (TOP / "docker/Dockerfile").read_text())[1])
    assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == user
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                            "capabilities": {"drop": ["ALL"]}}
    assert pod["automountServiceAccountToken"] is False and pod["enableServiceLinks"] is False
    assert container["resources"]["limits"]["memory"] and container["resources"]["requests"]["cpu"]


def test_probes_survive_a_long_migration():
    [container] = objects()["Deployment"]["spec"]["template"]["spec"]["containers"]
    startup = container["startupProbe"]
    assert startup["periodSeconds"] * startup["failureThreshold"] >= 3600
    assert [container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")] == [
        "/healthz", "/healthz", "/ready"]


def test_names_and_ports_fit_each_other():
    there = objects()
    template = there["Deployment"]["spec"]["template"]
    [container] = template["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert re.search(rf"^EXPOSE {ports['http']}$", (TOP / "docker/Dockerfile").read_text(), re.M)
    labels = template["metadata"]["labels"]
    for selector in (there["Service"]["spec"]["selector"], there["Deployment"]["spec"]["selector"]["matchLabels"],
                     there["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
                     there["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]):
        assert selector and selector.items() <= labels.items()
    assert there["ServiceMonitor"]["spec"]["selector"]["matchLabels"].items() <= there["Service"]["metadata"]["labels"].items()
    [service_port] = there["Service"]["spec"]["ports"]
    assert service_port["targetPort"] in ports
    assert there["ServiceMonitor"]["spec"]["endpoints"][0]["port"] == service_port["name"]
    backend = there["Ingress"]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": there["Service"]["metadata"]["name"], "port": {"name": service_port["name"]}}
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in template["spec"]["volumes"]}
    assert mounts == set(volumes)
    assert volumes["data"]["persistentVolumeClaim"]["claimName"] == there["PersistentVolumeClaim"]["metadata"]["name"]


def test_settings_exist_and_secrets_are_files():
    pod = objects()["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    printed = subprocess.run([cairnd(), "--print-config"], capture_output=True, text=True, check=True).stdout
    settings = set(re.findall(r"^(?:# )?(\w+) (?:=|is not set)", printed, re.M))
    environment = {one["name"]: one["value"] for one in container["env"]}
    assert {re.sub("_FILE$", "", name.removeprefix("CAIRN_")).lower() for name in environment} <= settings | {"secret"}
    example = yaml.safe_load((FOLDER / "secret.example.yaml").read_text())
    folder = next(mount["mountPath"] for mount in container["volumeMounts"] if mount["name"] == "secrets")
    assert {path for path in environment.values() if path.startswith(folder)} == {f"{folder}/{key}" for key in example["stringData"]}
    assert next(v["secret"]["secretName"] for v in pod["volumes"] if v["name"] == "secrets") == example["metadata"]["name"]


def test_the_network_is_closed_but_for_database_and_name_server():
    for name, database in (("base", {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "postgresql"}}}),
                           ("overlays/example", {"ipBlock": {"cidr": "192.0.2.10/32"}})):
        policy = objects(name)["NetworkPolicy"]["spec"]
        assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
        first, second = policy["egress"]
        assert first == {"to": [database], "ports": [{"port": 5432, "protocol": "TCP"}]}
        assert {port["port"] for port in second["ports"]} == {53} and all(rule["from"] for rule in policy["ingress"])
