#!/bin/sh
# Installs Cairn from this folder; no network is used.
#
#   ./install.sh [--key FILE | --unsigned] [--downgrade] [--check] [PACKAGE...]      packages of Debian
#   ./install.sh [--key FILE | --unsigned] --compose FOLDER                          containers
#
# First the signature and the checksums of all files are verified; a folder that is not whole, or was signed by another key, changes
# nothing. Packages need root and Debian 12 or 13; without a PACKAGE: the server, the client, the sampler and PostgreSQL. Containers
# need Docker with compose 2.24 or later; images are loaded, compose.yaml and what it reads is copied to FOLDER, and the server is
# started. Settings are in FOLDER/docker/.env and cairn.env, which may be there before, and are kept: see FOLDER/docker/README.md.
#
# --key FILE        the public key of minisign that the archive has to be signed with. Without it the key in the archive is used,
#                   which shows damage, but not who made the archive
# --unsigned        do not verify the signature
# --compose FOLDER  install containers
# --downgrade       install these packages although newer ones are installed; see upgrade.sh
# --check           only verify
set -eu
here=$(cd "$(dirname "$0")" && pwd)
key=$here/cairn.pub
signed=yes
downgrade=
check=no
packages=
folder=

say() { printf '%s\n' "$*"; }
fail() {
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	exit "${2:-1}"
}

while [ $# -gt 0 ]; do
	case $1 in
	--key | --compose)
		[ $# -gt 1 ] || fail "$1 needs a name" 64
		if [ "$1" = --key ]; then key=$2; else folder=$2; fi
		shift
		;;
	--unsigned) signed=no ;;
	--downgrade) downgrade=--allow-downgrades ;;
	--check) check=yes ;;
	-h | --help) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p;}' "$0" && exit ;;
	-*) fail "unknown option \"$1\": see $0 --help" 64 ;;
	*) packages="$packages $1" ;;
	esac
	shift
done
[ -z "$folder" ] || [ -z "$packages$downgrade" ] || fail "--compose goes with neither packages nor --downgrade: see $0 --help" 64

verify_signature() {
	[ -f "$here/SHA256SUMS.minisig" ] ||
		fail "this archive is not signed: if you trust where it comes from, give --unsigned" 65
	[ -f "$key" ] || fail "there is no public key \"$key\": name it with --key" 65
	command -v minisign >/dev/null ||
		fail "minisign is needed to verify the signature: install it (there is a package in debian-*/), or give --unsigned" 69
	minisign -Vq -p "$key" -m "$here/SHA256SUMS" >/dev/null 2>&1 ||
		fail "the signature of SHA256SUMS is not by the key \"$key\": do not use this archive" 65
}

verify() {
	[ -s "$here/SHA256SUMS" ] || fail "SHA256SUMS is missing: the archive was cut; copy it again" 65
	[ "$signed" = no ] || verify_signature
	(cd "$here" && sha256sum --quiet --strict -c SHA256SUMS) >&2 ||
		fail "files are missing or damaged: copy the archive again" 65
	say "verified: Cairn $(cat "$here/VERSION"), $(wc -l <"$here/SHA256SUMS") files$([ "$signed" = no ] || say ", signed by $(tail -n 1 "$key")")"
}

# apt looks at this folder, and at nothing else.
apt() {
	apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" \
		-o Dir::Cache="$work/cache" -o Dir::Etc::preferences="$work/preferences" -o APT::Sandbox::User=root \
		-o DPkg::Lock::Timeout=300 "$@"
}

install_packages() {
	release=$(. /etc/os-release && echo "$ID-${VERSION_ID:-}")
	[ -d "$here/$release" ] || fail "there are no packages for $release in this archive: it has $(cd "$here" && echo debian-*)" 69
	[ "$(id -u)" = 0 ] || fail "this needs root" 77
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
	ln -s "$here/$release" "$work/packages"
	echo "deb [trusted=yes] file:$work/packages ./" >"$work/sources.list"
	# A priority of more than 1000 lets apt go back to an older version.
	[ -z "$downgrade" ] || printf 'Package: *cairn*\nPin: origin ""\nPin-Priority: 1001\n' >"$work/preferences"
	apt update >"$work/log" 2>&1 || fail "apt cannot read the packages: $(tail -n 1 "$work/log")"
	[ -n "$packages" ] || packages="cairn-server cairn-client cairn-sampler postgresql"
	# shellcheck disable=SC2086 # words
	DEBIAN_FRONTEND=noninteractive apt install -y --no-install-recommends $downgrade $packages
	say "Cairn $(cat "$here/VERSION") is installed. The server's log has the setup token: journalctl -u cairnd"
}

compose() { (cd "$folder/docker" && docker compose "$@"); }

# What would go wrong later, before anything changes.
check_compose() {
	[ -f "$here/images/images.tar.gz" ] || fail "there are no images in this archive: it was made without" 69
	[ -n "$(docker compose version --short 2>/dev/null)" ] || fail "Docker with compose is needed: install both, or the packages" 69
	docker info >/dev/null 2>&1 || fail "the Docker engine does not answer: start it, or run this as a user who may use it" 69
	! grep -qs '^CAIRN_IMAGE=' "$folder/docker/.env" ||
		fail "$folder/docker/.env names an image (CAIRN_IMAGE): remove that line, or this version is not used" 78
}

install_containers() {
	check_compose
	say "loading the images, which takes a while"
	docker load -q -i "$here/images/images.tar.gz"
	mkdir -p "$folder"
	cp -R "$here/compose/." "$folder/"
	cp "$here/VERSION" "$folder/VERSION"
	compose up -d --wait || fail "the server did not start: docker compose -f $folder/docker/compose.yaml logs"
	say "Cairn $(cat "$here/VERSION") runs. Its address, and the setup token while there are no users:
  cd $folder/docker && docker compose logs setup cairnd"
}

verify
[ "$check" = no ] || exit 0
if [ -n "$folder" ]; then
	install_containers
else
	install_packages
fi
