"""The contract in api/ as a checker: is this answer what the contract says?

References are put in place once. An answer's schema is read strictly: a member that the contract
does not name is a fault of either side.
"""
import functools
import pathlib
import re

import jsonschema_rs
import yaml

API = pathlib.Path(__file__).resolve().parents[2] / "api"
METHODS = ("get", "put", "post", "patch", "delete")


@functools.cache
def _file(path):
    return yaml.load(path.read_text(), Loader=yaml.CSafeLoader)


def _resolve(node, path):
    """The node with every reference replaced by what it refers to."""
    if isinstance(node, list):
        return [_resolve(item, path) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" not in node:
        return {key: _resolve(value, path) for key, value in node.items()}
    name, _, place = node["$ref"].partition("#")
    target = (path.parent / name).resolve() if name else path
    found = _file(target)
    for step in filter(None, place.split("/")):
        found = found[step.replace("~1", "/").replace("~0", "~")]
    found = _resolve(found, target)
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return {**found, **beside} if beside else found


def _strict(schema):
    """Objects with named members have no others, unless the schema says so itself."""
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items()}
    if isinstance(strict.get("properties"), dict) and strict.get("type") == "object":
        strict.setdefault("additionalProperties", False)
    return strict


class Operation:
    def __init__(self, template, method, item, spec):
        self.template = template
        self.method = method.upper()
        self.spec = spec
        self.id = spec["operationId"]
        self.responses = spec["responses"]
        self.parameters = item.get("parameters", []) + spec.get("parameters", [])
        rest = {p["name"] for p in self.parameters if p.get("x-rest")}  # all that follows, slashes too
        pattern = re.sub(r"\{([a-z_]+)\}", lambda m: ".+" if m[1] in rest else "[^/]+", template)
        self.pattern = re.compile(pattern)
        self.is_open = {} in spec.get("security", [{"bearer": []}]) or spec.get("security") == []
        self._validators = {}

    def response(self, status):
        return self.responses.get(str(status)) or self.responses.get(f"{status // 100}XX")

    def media(self, status, content_type):
        return (self.response(status) or {}).get("content", {}).get(content_type)

    def validator(self, status, content_type):
        key = status, content_type
        if key not in self._validators:
            schema = _strict(self.media(status, content_type)["schema"])
            self._validators[key] = jsonschema_rs.Draft202012Validator(schema)
        return self._validators[key]


class Contract:
    def __init__(self):
        path = API / "openapi.yaml"
        self.document = _resolve(_file(path), path)
        self.operations = [Operation(template, method, item, item[method])
                           for template, item in self.document["paths"].items()
                           for method in METHODS if method in item]

    def find(self, method, path):
        method = "GET" if method == "HEAD" else method
        for operation in self.operations:
            if operation.method == method and operation.pattern.fullmatch(path):
                return operation
        return None

    def by_id(self, name):
        return next(o for o in self.operations if o.id == name)

    def faults(self, method, path, answer):
        """What is wrong with an answer, as text; empty when nothing is."""
        if not answer.headers.get("X-Request-Id"):
            yield "no X-Request-Id"
        if answer.status >= 400:
            yield from self._problem_faults(answer)
        operation = self.find(method, path)
        if operation is None:
            return
        if operation.response(answer.status) is None:
            yield f"{operation.id} may not answer {answer.status}"
        elif method != "HEAD" and answer.body:
            yield from self._body_faults(operation, answer)

    @staticmethod
    def _problem_faults(answer):
        if answer.content_type != "application/problem+json":
            yield f"a refusal of type {answer.content_type}"
        elif answer.body:
            problem = answer.json
            if problem.get("status") != answer.status:
                yield f"the problem says {problem.get('status')}, the answer {answer.status}"
            if problem.get("request_id") != answer.headers.get("X-Request-Id"):
                yield "two request ids"

    @staticmethod
    def _body_faults(operation, answer):
        if operation.media(answer.status, answer.content_type) is None:
            yield f"{operation.id} may not answer {answer.status} as {answer.content_type}"
            return
        if not answer.content_type.endswith("json"):
            return
        by_line = answer.content_type == "application/x-ndjson"
        validator = operation.validator(answer.status, answer.content_type)
        for value in answer.lines[:20] if by_line else [answer.json]:
            for error in validator.iter_errors(value):
                yield f"{operation.id}: {error.instance_path}: {error.message[:400]}"
