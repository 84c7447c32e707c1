"""Artifacts by REST, as the tests make them."""
import hashlib
import urllib.parse


def md5(content):
    return hashlib.md5(content).hexdigest()


class Collection:
    """A collection of a project, which is made with its first version."""

    def __init__(self, api, home, name="model", kind="model"):
        self.api = api
        self.kind = kind
        self.home = home
        self.name = name
        self.path = f"{home}/artifacts/{urllib.parse.quote(name)}"

    def draft(self, **members):
        made = self.api.post(f"{self.path}/versions", {"type": self.kind, **members}).json
        return f"{self.path}/drafts/{made['draft']}"

    def commit(self, draft):
        return self.api.post(f"{draft}/commit").json

    def version(self, files=None, references=None, **members):
        """Makes a version of files (path to bytes) and references (path to address)."""
        draft = self.draft(**members)
        for path, content in (files or {}).items():
            self.put(draft, path, content)
        if references:
            self.api.post(f"{draft}/references", {"references": [
                {"path": path, "ref": ref} for path, ref in references.items()]})
        return self.commit(draft)

    def put(self, draft, path, content):
        return self.api.put(f"{draft}/files/{urllib.parse.quote(path)}", content, content_type="application/octet-stream").json

    def get(self, version="latest"):
        return self.api.get(f"{self.path}/versions/{version}").json
