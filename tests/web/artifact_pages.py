"""Artifacts as tests of pages make them by REST: a draft, its files, its commit."""
from urllib.parse import quote

HOME = "/api/v1/projects/ann/artifacts"


def version(api, name, files, home=HOME, references=(), **more):
    """A committed version with these files: {path: content}; references: {path, ref, bytes}."""
    place = f"{home}/artifacts/{quote(name, safe='')}"
    draft = api.post(f"{place}/versions", {"type": "model", **more}).json["draft"]
    for path, content in files.items():
        api.put(f"{place}/drafts/{draft}/files/{quote(path)}", content, content_type="application/octet-stream")
    if references:
        api.post(f"{place}/drafts/{draft}/references", {"references": list(references)})
    return api.post(f"{place}/drafts/{draft}/commit", {}).json
