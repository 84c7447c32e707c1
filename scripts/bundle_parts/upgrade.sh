#!/bin/sh
# Upgrades Cairn to the version in this folder; no network is used.
#
#   ./upgrade.sh [--key FILE | --unsigned]                      packages of Debian
#   ./upgrade.sh [--key FILE | --unsigned] --compose FOLDER     containers
#
# The options are those of install.sh, FOLDER is what install.sh was given. The server copies its database before the new version
# changes it; at the end the way back is printed. Keep the folder of the old version until you do not need it any more.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

say() { printf '%s\n' "$*"; }
fail() {
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	exit "${2:-1}"
}

folder=
previous=
for word in "$@"; do
	case $word in
	-h | --help) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p;}' "$0" && exit ;;
	esac
	[ "$previous" != --compose ] || folder=$word
	previous=$word
done

upgrade_containers() {
	[ -f "$folder/VERSION" ] || fail "Cairn is not installed in $folder: run install.sh --compose" 78
	old=$(cat "$folder/VERSION")
	"$here/install.sh" --check "$@"
	# Servers of two versions never use one database; the old ones can only be found with the old file.
	(cd "$folder/docker" && docker compose --profile '*' stop cairnd cairnd-2)
	"$here/install.sh" "$@"
	say "Upgraded from $old. Back to it, with the folder of that version:
  cd $folder/docker
  docker compose --profile '*' stop cairnd cairnd-2
  docker compose run --rm --no-deps cairnd rollback          # says what would be lost; with --yes it is done
  OLD-FOLDER/install.sh --compose $folder"
}

upgrade_packages() {
	old=$(dpkg-query -W -f '${Version}' cairn-server 2>/dev/null) || old=
	[ -n "$old" ] || fail "cairn-server is not installed: run install.sh" 78
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
}

if [ -n "$folder" ]; then
	upgrade_containers "$@"
else
	upgrade_packages "$@"
fi
