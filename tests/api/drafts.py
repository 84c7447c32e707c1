"""Drafts of artifacts as the wandb SDK makes them, one request a call, and what is sent for them by links."""
import base64
import hashlib
import json
import secrets

from uploads import below

CREATE = "mutation M($input: CreateArtifactInput!) { createArtifact(input: $input) { artifact { id state } } }"
MANIFEST = """mutation M($input: CreateArtifactManifestInput!) { createArtifactManifest(input: $input) {
    artifactManifest { id file { uploadUrl } } } }"""
FILES = """mutation M($input: CreateArtifactFilesInput!) { createArtifactFiles(input: $input) { files { edges { node {
    uploadUrl artifact { id } uploadMultipartUrls { uploadID uploadUrlParts { uploadUrl } } } } } } }"""
COMPLETE = "mutation M($input: CompleteMultipartUploadArtifactInput!) { completeMultipartUploadArtifact(input: $input) { digest } }"
COMMIT = "mutation M($input: CommitArtifactInput!) { commitArtifact(input: $input) { artifact { id digest } } }"
READ_FILES = "query Q($id: ID!) { artifact(id: $id) { files(first: 1000) { edges { node { name directUrl } } } } }"
DELETE = "mutation M($input: DeleteArtifactInput!) { deleteArtifact(input: $input) { artifact { id } } }"
READ = "query Q($id: ID!) { artifact(id: $id) { digest size fileCount currentManifest { file { directUrl } } } }"


def md5_of(content):
    return base64.b64encode(hashlib.md5(content).digest()).decode()


def digest_of(contents):
    """Of the "contents" of a manifest, as the SDK computes it."""
    lines = sorted((path.encode(), entry["digest"].encode()) for path, entry in contents.items())
    return hashlib.md5(b"wandb-artifact-manifest-v1\n" + b"".join(b"%s:%s\n" % line for line in lines)).hexdigest()


def manifest_of(contents):
    return {"version": 1, "storagePolicy": "wandb-storage-policy-v1", "storagePolicyConfig": {"storageLayout": "V2"},
            "contents": contents}


class Draft:
    def __init__(self, api, project, name="data"):
        self.api = api
        self.entity, self.project = project.rsplit("/", 2)[1:]
        asked = {"artifactTypeName": "dataset", "artifactCollectionName": name, "clientID": secrets.token_hex(64),
                 "sequenceClientID": secrets.token_hex(64), "digest": secrets.token_hex(16)}
        self.id = self.query(CREATE, input={**self.names, **asked})["createArtifact"]["artifact"]["id"]

    @property
    def names(self):
        return {"entityName": self.entity, "projectName": self.project}

    def ask(self, text, **variables):
        return self.api.raw("POST", "/graphql", json.dumps({"query": text, "variables": variables}),
                            {"Content-Type": "application/json"}).json

    def query(self, text, **variables):
        answer = self.ask(text, **variables)
        assert "errors" not in answer, answer
        return answer["data"]

    def refused(self, text, **variables):
        [error] = self.ask(text, **variables)["errors"]
        return error["message"]

    def send(self, link, body, **headers):
        """By a link, without a key."""
        return self.api.as_user(None).raw("PUT", below(link), body, headers)

    def manifest_link(self, body):
        said = self.query(MANIFEST, input={**self.names, "artifactID": self.id, "digest": md5_of(body), "type": "FULL",
                                           "name": "wandb_manifest.json"})
        return said["createArtifactManifest"]["artifactManifest"]["file"]["uploadUrl"]

    def send_manifest(self, body):
        """JSON as a value, or its bytes."""
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.send(self.manifest_link(body), body)

    def nodes(self, files, **more):
        specs = [{"artifactID": self.id, "name": path, "md5": md5_of(content), **more} for path, content in files.items()]
        said = self.query(FILES, input={"artifactFiles": specs, "storageLayout": "V2"})
        return [edge["node"] for edge in said["createArtifactFiles"]["files"]["edges"]]

    def links(self, files):
        """None for content that is there."""
        return [node["uploadUrl"] for node in self.nodes(files)]

    def send_files(self, files):
        for link, content in zip(self.links(files), files.values(), strict=True):
            if link:
                answer = self.send(link, content)
                assert answer.status == 204, answer

    def commit(self):
        return self.query(COMMIT, input={"artifactID": self.id})["commitArtifact"]["artifact"]

    def read(self):
        return self.query(READ, id=self.id)["artifact"]

    def send_all(self, files):
        """A version of these files."""
        self.send_files(files)
        contents = {path: {"digest": md5_of(content), "size": len(content)} for path, content in files.items()}
        answer = self.send_manifest(manifest_of(contents))
        assert answer.status == 204, answer
        self.commit()
        return self

    def file_links(self):
        """{path: link to read it}"""
        edges = self.query(READ_FILES, id=self.id)["artifact"]["files"]["edges"]
        return {edge["node"]["name"]: below(edge["node"]["directUrl"]) for edge in edges}

    def manifest(self):
        """As readers get it, by its link."""
        link = self.read()["currentManifest"]["file"]["directUrl"]
        answer = self.api.as_user(None).raw("GET", below(link))
        assert answer.status == 200, answer
        return answer.json
