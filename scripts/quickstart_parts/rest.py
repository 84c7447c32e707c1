"""The server as quickstart asks it: GET and PUT with a key, nothing but Python's own library."""
import json
import urllib.error
import urllib.parse
import urllib.request


class Rest:
    def __init__(self, url, key_file):
        self.url = url.rstrip("/")
        with open(key_file, encoding="ascii") as file:
            self.key = file.read().strip()

    def _open(self, method, path, body=None, **query):
        query = {name: value for name, value in query.items() if value is not None}
        url = f"{self.url}/api/v1{path}" + ("?" + urllib.parse.urlencode(query) if query else "")
        request = urllib.request.Request(url, method=method)
        request.add_header("Authorization", "Bearer " + self.key)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        return urllib.request.urlopen(request, timeout=30)

    def get(self, path, **query):
        with self._open("GET", path, **query) as answer:
            return json.load(answer)

    def rows(self, path, **query):
        """Rows of a streamed answer, one JSON object a line."""
        with self._open("GET", path, format="ndjson", **query) as answer:
            return [json.loads(line) for line in answer if line.strip()]

    def put(self, path, body):
        with self._open("PUT", path, body) as answer:
            return json.load(answer)

    def find(self, path):
        """None where there is nothing yet."""
        try:
            return self.get(path)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise
