"""A version of an artifact as wandb-core sends it, one request a call: for what a real one cannot be made to do.

    draft = Draft(wire, "data", {"a.txt": b"hello"})   # createArtifact
    draft.send()                                       # files, manifest, commit
"""
import base64
import hashlib
import json
import secrets
import urllib.parse

CREATE = """mutation CreateArtifact($input: CreateArtifactInput!) { createArtifact(input: $input) { artifact { id state digest
    versionIndex artifactSequence { id latestArtifact { id versionIndex } } } } }"""
MANIFEST = """mutation CreateArtifactManifest($artifactID: ID!, $baseArtifactID: ID, $name: String!, $digest: String!,
    $entityName: String!, $projectName: String!, $runName: String!, $manifestType: ArtifactManifestType!, $includeUpload: Boolean!) {
  createArtifactManifest(input: {artifactID: $artifactID, baseArtifactID: $baseArtifactID, name: $name, digest: $digest,
      entityName: $entityName, projectName: $projectName, runName: $runName, type: $manifestType}) {
    artifactManifest { id file { id name displayName uploadUrl @include(if: $includeUpload)
      uploadHeaders @include(if: $includeUpload) } } } }"""
UPDATE = """mutation UpdateArtifactManifest($artifactManifestID: ID!, $digest: String, $baseArtifactID: ID, $includeUpload: Boolean!) {
  updateArtifactManifest(input: {artifactManifestID: $artifactManifestID, digest: $digest, baseArtifactID: $baseArtifactID}) {
    artifactManifest { id file { id uploadUrl @include(if: $includeUpload) uploadHeaders @include(if: $includeUpload) } } } }"""
FILES = """mutation CreateArtifactFiles($artifactFiles: [CreateArtifactFileSpecInput!]!, $storageLayout: ArtifactStorageLayout!) {
  createArtifactFiles(input: {artifactFiles: $artifactFiles, storageLayout: $storageLayout}) { files { edges { node { id name
    displayName storagePath uploadUrl uploadHeaders uploadMultipartUrls { uploadID uploadUrlParts { partNumber uploadUrl } }
    artifact { id } } } } } }"""
COMPLETE = """mutation CompleteMultipartUploadArtifact($completeMultipartAction: CompleteMultipartAction!,
    $completedParts: [UploadPartsInput!]!, $artifactID: ID!, $storagePath: String!, $uploadID: String!) {
  completeMultipartUploadArtifact(input: {completeMultipartAction: $completeMultipartAction, completedParts: $completedParts,
      artifactID: $artifactID, storagePath: $storagePath, uploadID: $uploadID}) { digest } }"""
COMMIT = "mutation CommitArtifact($artifactID: ID!) { commitArtifact(input: {artifactID: $artifactID}) { artifact { id digest state } } }"
USE = "mutation UseArtifact($input: UseArtifactInput!) { useArtifact(input: $input) { artifact { id } } }"
DONE = (200, 204)  # of a PUT
READ = """query($id: ID!) { artifact(id: $id) { id state digest versionIndex size fileCount aliases { alias }
    currentManifest { file { directUrl } } } }"""


def md5_of(body):
    return base64.b64encode(hashlib.md5(body).digest()).decode()


def digest_of(entries):
    """Of {path: digest}, as the SDK computes it."""
    text = "wandb-artifact-manifest-v1\n" + "".join(f"{path}:{digest}\n" for path, digest in sorted(entries.items()))
    return hashlib.md5(text.encode()).hexdigest()


def path_of(url):
    at = urllib.parse.urlsplit(url)
    return f"{at.path}?{at.query}" if at.query else at.path


class Draft:
    def __init__(self, wire, name, files, run=None, type="dataset", aliases=("latest",), **more):
        self.wire = wire
        self.files = files
        self.names = {"entityName": wire.entity, "projectName": wire.project}
        self.asked = {
            **self.names, "runName": run, "artifactTypeName": type, "artifactCollectionName": name, "artifactCollectionNames": None,
            "digest": digest_of({path: md5_of(body) for path, body in files.items()}), "digestAlgorithm": "MANIFEST_MD5",
            "description": None, "metadata": None, "labels": None,
            "aliases": [{"artifactCollectionName": name, "alias": alias} for alias in aliases], "ttlDurationSeconds": None,
            "historyStep": None, "enableDigestDeduplication": True, "distributedID": None, "clientID": secrets.token_hex(64),
            "sequenceClientID": secrets.token_hex(64), "storageRegion": None, "clientMutationId": None, **more}
        self.made = self.create()
        self.id = self.made["id"]
        self.births = {}

    def create(self):
        return self.wire.query(CREATE, input=self.asked)["createArtifact"]["artifact"]

    def manifest(self, kind="FULL", digest="", base=None, upload=False):
        said = self.wire.query(MANIFEST, artifactID=self.id, baseArtifactID=base, name="wandb_manifest.json", digest=digest,
                               runName="", manifestType=kind, includeUpload=upload, **self.names)
        return said["createArtifactManifest"]["artifactManifest"]

    def specs(self, manifest=None, **more):
        return [{"artifactID": self.id, "artifactManifestID": manifest, "name": path, "md5": md5_of(body), "mimetype": None,
                 "uploadPartsInput": None, **more} for path, body in self.files.items()]

    def ask_files(self, specs=None):
        said = self.wire.query(FILES, artifactFiles=self.specs() if specs is None else specs, storageLayout="V2")
        return [edge["node"] for edge in said["createArtifactFiles"]["files"]["edges"]]

    def put(self, url, body, **headers):
        return self.wire.send("PUT", path_of(url), body, headers, key=False)

    def send_files(self):
        """Those that the server does not have; returns their paths."""
        sent = []
        for node, (path, body) in zip(self.ask_files(), self.files.items(), strict=True):
            assert node["displayName"] == path and node["storagePath"].startswith("wandb_artifacts/")
            self.births[path] = node["artifact"]["id"]
            if node["uploadUrl"]:
                assert node["storagePath"] in urllib.parse.unquote(node["uploadUrl"])
                assert self.put(node["uploadUrl"], body).status in DONE
                sent.append(path)
        return sent

    def json_of(self, **more):
        contents = {path: {"digest": md5_of(body), "size": len(body), "skip_cache": False,
                           "birthArtifactID": self.births.get(path, self.id)} for path, body in self.files.items()}
        return {"version": 1, "storagePolicy": "wandb-storage-policy-v1", "storagePolicyConfig": {"storageLayout": "V2"},
                "contents": contents, **more}

    def send_manifest(self, body=None, kind="FULL", base=None):
        """The answer to its PUT."""
        body = json.dumps(self.json_of() if body is None else body).encode()
        if kind == "FULL":
            file = self.manifest(kind, md5_of(body), base, upload=True)["file"]
        else:
            made = self.manifest(kind, base=base)
            file = self.wire.query(UPDATE, artifactManifestID=made["id"], digest=md5_of(body), baseArtifactID=None,
                                   includeUpload=True)["updateArtifactManifest"]["artifactManifest"]["file"]
        assert "wandb_manifest.json" in file["uploadUrl"] and "wandb_artifacts/" not in file["uploadUrl"]
        return self.put(file["uploadUrl"], body)

    def ask_commit(self):
        return self.wire.ask(COMMIT, artifactID=self.id)

    def commit(self):
        return self.wire.query(COMMIT, artifactID=self.id)["commitArtifact"]["artifact"]

    def send(self, kind="FULL", base=None):
        self.send_files()
        answer = self.send_manifest(kind=kind, base=base)
        assert answer.status in DONE, answer
        return self.commit()

    def read(self):
        return self.wire.query(READ, id=self.id)["artifact"]

    def entries(self):
        """Of the manifest that readers see."""
        answer = self.wire.send("GET", path_of(self.read()["currentManifest"]["file"]["directUrl"]), key=False)
        assert answer.status == 200, answer
        return json.loads(answer.body)["contents"]
