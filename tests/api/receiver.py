"""A receiver of webhooks: a real HTTP server that takes, refuses, redirects, says nothing, or hangs.

    with Receiver() as receiver:
        receiver.behave(503, 200)      # the next answers; the last one stays
        receiver.messages              # what came: path, headers, body
"""
import hashlib
import hmac
import http.server
import json
import ssl
import threading

HANG, DROP = "hang", "drop"


class Message:
    def __init__(self, handler, body):
        self.path = handler.path
        self.headers = handler.headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def name(self):
        return self.headers["Cairn-Delivery"]

    def is_signed_with(self, secret):
        mac = hmac.new(secret.encode(), self.body, hashlib.sha256).hexdigest()
        return self.headers["Cairn-Signature"] == f"sha256={mac}"


class Receiver:
    """With `tls`, a certificate and its key, one of https."""

    def __init__(self, tls=None):
        self.messages = []
        self.answers = [200]
        self.location = None
        self.lock = threading.Lock()
        self.release = threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                receiver.take(self)

            def do_GET(self):
                receiver.take(self)

            def log_message(self, *_):
                pass
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/hook"
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*tls)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
            self.url = self.url.replace("http:", "https:")

    def __enter__(self):
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.05,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.release.set()
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()

    def behave(self, *answers, location=None):
        with self.lock:
            self.answers, self.location = list(answers), location

    def take(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"] or 0))
        with self.lock:
            self.messages.append(Message(handler, body))
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            location = self.location
        if answer == HANG:
            self.release.wait()
        if answer in (HANG, DROP):
            handler.close_connection = True
            return
        self._answer(handler, answer, location)

    @staticmethod
    def _answer(handler, status, location):
        handler.send_response(status)
        if location:
            handler.send_header("Location", location)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    @property
    def titles(self):
        with self.lock:
            return [message.json["title"] for message in self.messages]
