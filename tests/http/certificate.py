"""Certificates, made by openssl: one for localhost that signed itself, and those of an authority of one's own."""

import datetime
import subprocess

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
LOCAL = "DNS:localhost,IP:127.0.0.1"
CONFIG = """
[ca]
default_ca = own
[own]
new_certs_dir = {folder}
database = {folder}/index
rand_serial = yes
default_md = sha256
policy = any_name
copy_extensions = copy
unique_subject = no
[any_name]
commonName = supplied
"""


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def make_certificate(folder):
    """Paths of the certificate and its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert)
    return cert, key


def days_from_now(days):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days)).strftime("%Y%m%d%H%M%SZ")


class Authority:
    """Its certificate is in `file`."""

    def __init__(self, folder, name="Test CA"):
        self.folder, self.file, self.key = folder, folder / "ca.pem", folder / "ca.key"
        (folder / "index").touch()
        (folder / "config").write_text(CONFIG.format(folder=folder))
        openssl("req", "-x509", *KEY, "-days", "30", "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.file)

    def issue(self, name, begins=-1, ends=90, hosts=LOCAL):
        """Paths of a certificate, valid from and to these days from now, and its key."""
        cert, key, request = (self.folder / f"{name}.{kind}" for kind in ("pem", "key", "csr"))
        openssl("req", *KEY, "-subj", f"/CN={name}", "-addext", f"subjectAltName={hosts}", "-keyout", key, "-out", request)
        openssl("ca", "-batch", "-notext", "-config", self.folder / "config", "-cert", self.file, "-keyfile", self.key,
                "-startdate", days_from_now(begins), "-enddate", days_from_now(ends), "-in", request, "-out", cert)
        return cert, key
