"""A server and a database of their own, to be taken away."""
from cluster import Cluster
from server import Server, cairnd_run


class Site:
    """`key` is that of ann."""

    def __init__(self, folder):
        self.cluster = Cluster(synchronous_commit="on")
        self.url = self.cluster.create_database(name="cairn")
        self.secret = folder / "secret"
        cairnd_run(self.url, self.secret, "upgrade")
        cairnd_run(self.url, self.secret, "user", "add", "ann", "--key-file", str(folder / "key"))
        self.key = (folder / "key").read_text().strip()
        self.server = Server(self.url, self.secret).start()

    def close(self):
        self.server.stop()
        self.server.remove()
        self.cluster.stop()
