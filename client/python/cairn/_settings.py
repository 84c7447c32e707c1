"""The server and the key, found as libcairn finds them: argument, environment, the file that `cairn login` writes."""
from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple, Optional, Tuple

from ._errors import SetupError

# Files with the authorities that a distribution trusts. The library inside a wheel was built for the first.
AUTHORITIES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


class Login(NamedTuple):
    url: str
    key: str
    ca_file: Optional[str]


def _credentials_path() -> Optional[Path]:
    config, home = os.environ.get("XDG_CONFIG_HOME", ""), os.environ.get("HOME", "")
    if config.startswith("/"):
        return Path(config, "cairn/credentials")
    return Path(home, ".config/cairn/credentials") if home else None


def _read_credentials(url: Optional[str]) -> Tuple[Optional[str], Optional[str]]:
    """(address, key) of the line for `url`, or of the first line."""
    path = _credentials_path()
    try:
        if path is None or not path.exists():
            return url, None
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise SetupError(f'"{path}" is readable by others: run chmod 600 on it, then try again')
        lines = path.read_text().splitlines()
    except OSError as error:
        raise SetupError(f'cannot read the login in "{path}": {error.strerror}') from None
    for line in lines:
        address, blank, key = line.partition(" ")
        if blank and not line.startswith("#") and url in (None, address):
            return address, key
    return url, None


def _read_key_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            key = file.readline(1024).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f'cannot read the key file "{path}": {error}') from None
    if not key:
        raise SetupError(f'the key file "{path}" does not contain an API key on its first line')
    return key


def find_authorities() -> Optional[str]:
    """A file with the system's authorities, if it is not where most distributions have it; else None."""
    if os.path.exists(AUTHORITIES[0]):
        return None
    return next((path for path in AUTHORITIES if os.path.exists(path)), None)


def find_login(url: Optional[str] = None, key: Optional[str] = None, ca_file: Optional[str] = None) -> Login:
    """Raises SetupError if no server or no key is set."""
    url = (url or os.environ.get("CAIRN_URL") or "").rstrip("/") or None
    key = key or os.environ.get("CAIRN_API_KEY")
    key_file = os.environ.get("CAIRN_API_KEY_FILE")
    if not key and key_file:
        key = _read_key_file(key_file)
    if not key or not url:
        url, known = _read_credentials(url)
        key = key or known
    if not url:
        raise SetupError('no server is set: set CAIRN_URL, or run "cairn login URL" once')
    if not url.startswith(("http://", "https://")):
        raise SetupError("the server's address must begin with http:// or https://")
    if not key:
        raise SetupError('no API key is set: set CAIRN_API_KEY or CAIRN_API_KEY_FILE, or run "cairn login URL" once')
    return Login(url, key, ca_file or os.environ.get("CAIRN_CA_FILE") or None)
