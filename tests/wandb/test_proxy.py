"""Behind a reverse proxy that takes a path prefix off: every address that the server tells leads through it again."""
import contextlib
import http.client
import http.server
import threading

import pytest
from server import Server

PREFIX = "/lab"
HOP = {"connection", "transfer-encoding", "keep-alive", "host", "content-length"}


class Proxy(http.server.ThreadingHTTPServer):
    """A small one: forwards what is below PREFIX, without it, and says how it was asked."""
    daemon_threads = True

    def __init__(self, port, tells):
        super().__init__(("127.0.0.1", 0), Handler)
        self.to = port
        self.tells = tells
        self.seen = []

    @property
    def url(self):
        return f"http://localhost:{self.server_port}{PREFIX}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def forward(self):
        proxy = self.server
        body = self.body()
        if not self.path.startswith(PREFIX + "/"):
            self.send_error(404)
            return
        path = self.path.removeprefix(PREFIX)
        proxy.seen.append((self.command, path.partition("?")[0]))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
        if proxy.tells:
            headers |= {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "http",
                        "X-Forwarded-Host": self.headers["Host"], "X-Forwarded-Prefix": PREFIX}
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", proxy.to, timeout=120)) as up:
            up.request(self.command, path, body, headers)
            answer = up.getresponse()
            content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = forward

    def do_HEAD(self):
        self.send_error(405)


@contextlib.contextmanager
def proxy_to(port, tells):
    proxy = Proxy(port, tells)
    thread = threading.Thread(target=proxy.serve_forever)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()


def train_and_read():
    import pathlib

    import wandb
    pathlib.Path("a b.txt").write_text("kept " * 1000)
    run = wandb.init(id="r 1", config={"lr": 1})
    run.log({"page": wandb.Html("<b>bold</b>"), "a": 1})
    run.save("a b.txt", policy="now")
    print("a line")  # of who prints nothing the SDK keeps no output.log
    url = run.url
    run.finish()
    back = wandb.Api().run(f"{run.entity}/{run.project}/r 1")
    files = {}
    for file in back.files():
        files[file.name] = [file.url, file.direct_url if hasattr(file, "direct_url") else file.url,
                            file.download(root="back", replace=True).read()]
    return {"url": url, "rows": [row["a"] for row in back.scan_history()], "files": files}


@pytest.mark.long_if_old
@pytest.mark.feature("behind a reverse proxy and a path prefix: files go up and come down")
@pytest.mark.parametrize("how", ["X-Forwarded-*", "public_url"])
def test_behind_a_proxy(place, make_client, version, project, how):
    with contextlib.ExitStack() as stack:
        if how == "public_url":
            listening = stack.enter_context(proxy_to(0, tells=False))
            server = stack.enter_context(Server(place.db.url, place.secret_file, public_url=listening.url))
            listening.to = server.port
        else:
            server = stack.enter_context(Server(place.db.url, place.secret_file, trusted_proxies="127.0.0.1"))
            listening = stack.enter_context(proxy_to(server.port, tells=True))
        client = make_client(version, WANDB_PROJECT=project, WANDB_BASE_URL=listening.url)
        shown = client.call(train_and_read).value
        assert shown["url"].startswith(f"{listening.url}/ann/{project}/runs/")
        assert shown["rows"] == [1]
        assert shown["files"]["a b.txt"][2] == "kept " * 1000
        assert {"config.yaml", "output.log", "wandb-summary.json"} <= set(shown["files"])
        for url, direct, _ in shown["files"].values():
            assert url.startswith(listening.url + "/") and direct.startswith(listening.url + "/")
        assert ("PUT", "/") not in listening.seen
        assert any(method == "PUT" for method, _ in listening.seen), "files go through the proxy"
