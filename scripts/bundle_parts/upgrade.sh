#!/bin/sh
# Upgrades the packages of Cairn to the version in this folder; no network is used.
#
#   ./upgrade.sh [--key FILE | --unsigned]
#
# The options are those of install.sh. The server copies its database before the new version changes it; at the end the way back is
# printed. Keep the folder of the old version until you do not need it any more.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

say() { printf '%s\n' "$*"; }
fail() {
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	exit 1
}

case ${1:-} in
-h | --help) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p;}' "$0" && exit ;;
esac
old=$(dpkg-query -W -f '${Version}' cairn-server 2>/dev/null) || old=
[ -n "$old" ] || fail "cairn-server is not installed: run install.sh"
# Those that are installed, and no others.
installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 'cairn-*' 'libcairn*' 2>/dev/null | sed -n 's/^ii  *//p' | paste -sd ' ' -)
# shellcheck disable=SC2086 # words
"$here/install.sh" "$@" $installed
if [ -d /run/systemd/system ] && systemctl --quiet is-enabled cairnd 2>/dev/null; then
	for _ in $(seq 600); do
		! runuser -u cairn -- cairnd healthcheck >/dev/null 2>&1 || break
		sleep 1
	done
	runuser -u cairn -- cairnd healthcheck || fail "the server is not ready: see journalctl -u cairnd"
else
	say "Start the server again: it copies its database and brings it to the new version."
fi
say "Upgraded from $old. Back to it, with the folder of that version:
  systemctl stop cairnd
  runuser -u cairn -- cairnd rollback          # says what would be lost; with --yes it is done
  OLD-FOLDER/install.sh --downgrade $installed"
