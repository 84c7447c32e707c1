#!/bin/sh
# Installs Cairn from this folder; no network is used.
#
#   ./install.sh [--key FILE | --unsigned] [--downgrade] [--check] [PACKAGE...]      packages of Debian
#   ./install.sh [--key FILE | --unsigned] [--downgrade] --compose FOLDER            containers
#
# First the signature and the checksums of all files are verified; if files are missing, added or damaged, or the signature is of
# another key, nothing is changed. Packages need root and Debian 12 or 13; without a PACKAGE: the server, the client, the sampler and
# PostgreSQL. Containers need Docker with compose 2.24 or later; images are loaded, compose.yaml and what it reads is copied to FOLDER,
# and the server is started. Existing settings in FOLDER/docker/.env and cairn.env are kept: see FOLDER/docker/README.md. Other
# files that differ are kept as FILE.old.
#
# --key FILE        public key of minisign with which the archive must be signed. Default: the key in the archive, which detects
#                   damage, but does not prove the origin
# --unsigned        do not verify the signature
# --compose FOLDER  install containers
# --downgrade       go back to this version; see upgrade.sh
# --check           only verify
#
# Exit status: 0, 1 (an installation failed), 64 (invalid options), 65 (damaged archive), 69 (missing dependency), 77 (root is
# required), 78 (another version is installed, or invalid settings).
set -eu
umask 022
here=$(dirname "$(readlink -f "$0")")
key=$here/cairn.pub
signed=yes
task=${CAIRN_INSTALL_TASK:-install} # upgrade.sh sets it
program=$task.sh
check=no
packages=
folder=
trust= # for the lines that are printed

say() { printf '%s\n' "$*"; }
fail() {
	printf '%s: %s\n' "$program" "$1" >&2
	exit "${2:-1}"
}
help() { sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p;}' "$here/$program" && exit; }

while [ $# -gt 0 ]; do
	case $1 in
	--key | --compose)
		[ -n "${2:-}" ] || fail "$1 requires a name" 64
		if [ "$1" = --key ]; then key=$2 trust=" --key $2"; else folder=$2; fi
		shift
		;;
	--unsigned) signed=no trust=" --unsigned" ;;
	--downgrade)
		[ "$task" != upgrade ] || fail "--downgrade is an option of install.sh" 64
		task=downgrade
		;;
	--check) check=yes ;;
	-h | --help) help ;;
	-*) fail "unknown option \"$1\": see $0 --help" 64 ;;
	*) packages="$packages $1" ;;
	esac
	shift
done
[ -z "$folder" ] || [ -z "$packages" ] || fail "--compose excludes packages: see $0 --help" 64
[ "$task" != upgrade ] || [ -z "$packages" ] || fail "upgrade.sh upgrades the installed packages and takes no package names: see $0 --help" 64

# ---- this folder ---------------------------------------------------------------------------------------

verify_signature() {
	[ -f "$here/SHA256SUMS.minisig" ] ||
		fail "this archive is not signed: use --unsigned if you trust its source" 65
	[ -f "$key" ] || fail "the public key \"$key\" does not exist: set it with --key" 65
	command -v minisign >/dev/null ||
		fail "minisign is required to verify the signature: install it (from debian-*/), or use --unsigned" 69
	minisign -Vq -p "$key" -m "$here/SHA256SUMS" >/dev/null 2>&1 ||
		fail "the signature of SHA256SUMS does not match the key \"$key\": do not use this archive" 65
}

# Files that have no checksum, and links, which may lead elsewhere.
strangers() {
	cd "$here"
	find . -type l -printf '%P\n'
	{
		sed 's/^[^ ]*  //' SHA256SUMS
		printf '%s\n' SHA256SUMS SHA256SUMS.minisig SHA256SUMS SHA256SUMS.minisig
		find . -type f -printf '%P\n'
	} | sort | uniq -u
}

verify() {
	[ -s "$here/SHA256SUMS" ] || fail "SHA256SUMS is missing: the archive is incomplete; copy it again" 65
	[ "$signed" = no ] || verify_signature
	(cd "$here" && sha256sum --quiet --strict -c SHA256SUMS) >&2 ||
		fail "files are missing or damaged: copy the archive again" 65
	stranger=$(strangers | head -n 1)
	[ -z "$stranger" ] || fail "\"$stranger\" does not belong to this archive: remove it, or unpack the archive again" 65
	version=$(cat "$here/VERSION")
	say "verified: Cairn $version, $(wc -l <"$here/SHA256SUMS") files$([ "$signed" = no ] || say ", signed by $(tail -n 1 "$key")")"
}

check_architecture() { # this machine's
	[ "$1" = "$(cat "$here/ARCHITECTURE")" ] || fail "this archive is for $(cat "$here/ARCHITECTURE"), but this machine is $1" 69
}

is_older() { [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# check_version INSTALLED WHERE: nothing, or a version, which only an upgrade or a downgrade replaces by another one.
check_version() {
	case $task in
	upgrade)
		[ -n "$1" ] || fail "Cairn is not installed$2: run install.sh" 78
		! is_older "$version" "$1" || fail "Cairn $1 is installed$2, but this archive has the older $version: see install.sh --downgrade" 78
		;;
	install) [ -z "$1" ] || [ "$1" = "$version" ] || fail "Cairn $1 is installed$2: run upgrade.sh, or go back with --downgrade" 78 ;;
	esac
}

# ---- packages ------------------------------------------------------------------------------------------

# This folder is all that apt looks at, whatever is set on this machine.
apt() {
	apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" \
		-o Dir::Cache="$work/cache" -o Dir::Etc::preferences="$work/preferences" -o Dir::Etc::preferencesparts="$work/parts" \
		-o APT::Default-Release= -o APT::Sandbox::User=root -o DPkg::Lock::Timeout=300 "$@"
}

check_packages() {
	release=$(. /etc/os-release && echo "$ID-${VERSION_ID:-}")
	[ -d "$here/$release" ] || fail "this archive has no packages for $release, only for Debian 12 and 13" 69
	[ "$(id -u)" = 0 ] || fail "root is required to install packages: use sudo, or --compose" 77
	check_architecture "$(dpkg --print-architecture)"
	before=$(dpkg-query -W -f '${db:Status-Abbrev}${Version}' cairn-server 2>/dev/null | sed -n 's/^ii *//p')
	check_version "${before%-*}" ""
}

put_packages() { # PACKAGE...
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts"
	ln -s "$here/$release" "$work/packages"
	echo "deb [trusted=yes] file:$work/packages ./" >"$work/sources.list"
	options="--no-install-recommends --no-remove"
	if [ "$task" = downgrade ]; then # a priority of more than 1000 lets apt go back
		printf 'Package: *cairn*\nPin: origin ""\nPin-Priority: 1001\n' >"$work/preferences"
		options="$options --allow-downgrades"
	fi
	apt update >"$work/log" 2>&1 || fail "apt cannot read the packages: $(tail -n 1 "$work/log")"
	# Settings that were edited are kept, and nothing is asked.
	# shellcheck disable=SC2086 # words
	DEBIAN_FRONTEND=noninteractive apt -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold install -y $options "$@" ||
		fail "apt cannot install the packages: see above"
}

install_packages() {
	check_packages
	[ -n "$packages" ] || packages="cairn-server cairn-client cairn-sampler postgresql"
	# shellcheck disable=SC2086 # words
	put_packages $packages
	say "Cairn $version is installed. The server's log has the setup token: journalctl -u cairnd"
}

# With the settings of a unit that was not installed by the package, too.
ask_server() { (
	set -a
	# shellcheck disable=SC1091 # not of this archive
	[ ! -f /etc/default/cairnd ] || . /etc/default/cairnd
	runuser -u cairn -- cairnd healthcheck
); }

# A copy of a large database takes long, so this ends when the server is ready or systemd has given it up.
wait_for_server() {
	until ask_server >/dev/null 2>&1; do
		case $(systemctl is-active cairnd) in
		active | activating | reloading) sleep 1 ;;
		*) fail "the server has ended: see journalctl -u cairnd; the way back is above" ;;
		esac
	done
}

upgrade_packages() {
	check_packages
	# Only packages that are installed.
	installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 'cairn-*' 'libcairn*' 2>/dev/null | sed -n 's/^ii  *//p' | paste -sd ' ' -)
	say "From $before to $version. The way back, with the folder of the older version:
  systemctl stop cairnd
  runuser -u cairn -- cairnd rollback          # says what would be lost; with --yes it is done
  OLD-FOLDER/install.sh$trust --downgrade $installed"
	# shellcheck disable=SC2086 # words
	put_packages $installed
	if [ -d /run/systemd/system ] && systemctl --quiet is-enabled cairnd 2>/dev/null; then
		wait_for_server
	else
		say "Start the server again: it copies its database and upgrades it to the new version."
	fi
	say "Upgraded to $version."
}

# ---- containers ----------------------------------------------------------------------------------------

compose() { (cd "$folder/docker" && docker compose "$@"); }

# compose.yaml of this archive, with the settings of the installation.
new_compose() {
	if [ -f "$folder/docker/.env" ]; then set -- --env-file "$folder/docker/.env" "$@"; fi
	docker compose --project-directory "$folder/docker" -f "$here/compose/docker/compose.yaml" "$@"
}

# Whatever would go wrong later, before anything changes.
check_containers() {
	[ -f "$here/images/images.tar.xz" ] || fail "this archive contains no images" 69
	command -v xz >/dev/null || fail "xz is required to load the images: install xz-utils" 69
	found=$(docker compose version --short 2>/dev/null) || found=
	if [ -z "$found" ] || is_older "${found#v}" 2.24; then
		fail "Docker with compose 2.24 or later is required: install both, or use the packages" 69
	fi
	docker info >/dev/null 2>&1 || fail "the Docker engine does not answer: start it, or run this as a user with access to it" 69
	check_architecture "$(docker version --format '{{.Server.Arch}}')"
	mkdir -p "$folder/docker"
	folder=$(cd "$folder" && pwd -P)
	before=$(cat "$folder/VERSION" 2>/dev/null) || before=
	check_version "$before" " in $folder"
	settings=$(new_compose config 2>&1) || fail "the settings in $folder/docker are invalid: $(say "$settings" | tail -n 1)" 78
	project=$(say "$settings" | sed -n 's/^name: //p')
	new_compose config --images | grep -qx "cairn:$version" ||
		fail "CAIRN_IMAGE, in $folder/docker/.env or the environment, is not cairn:$version: remove it" 78
	other=$(docker ps -a --filter "label=com.docker.compose.project=$project" \
		--format '{{.Label "com.docker.compose.project.working_dir"}}' | grep -vxF "$folder/docker" | head -n 1)
	[ -z "$other" ] || fail "the project \"$project\" is another installation, in $other: name that folder, or set COMPOSE_PROJECT_NAME in $folder/docker/.env" 78
}

load_images() {
	say "loading the images, which takes a while"
	xz -dc "$here/images/images.tar.xz" | docker load -q || fail "cannot load the images: see above; nothing else was changed"
	for image in $(new_compose config --images); do
		docker image inspect "$image" >/dev/null 2>&1 ||
			fail "the image $image is neither in this archive nor in the engine: add it with scripts/bundle --image $image" 69
	done
}

copy_files() {
	(cd "$here/compose" && find . -type f) | while read -r file; do
		mkdir -p "$folder/$(dirname "$file")"
		if [ -f "$folder/$file" ] && ! cmp -s "$here/compose/$file" "$folder/$file"; then
			cp "$folder/$file" "$folder/$file.old"
		fi
		cp "$here/compose/$file" "$folder/$file"
	done
}

start_containers() { # SERVICE...: none are those of the profiles in .env
	copy_files
	compose up -d --wait "$@" || fail "the server did not start: cd $folder/docker && docker compose logs${before:+; the way back is above}"
	printf '%s\n' "$version" >"$folder/VERSION"
}

install_containers() {
	check_containers
	load_images
	start_containers
	say "Cairn $version runs. Its address, and the setup token while there are no users:
  cd $folder/docker && docker compose logs setup cairnd"
}

upgrade_containers() {
	check_containers
	load_images
	say "From $before to $version. The way back, with the folder of the older version:
  cd $folder/docker
  docker compose --profile '*' stop cairnd cairnd-2
  docker compose run --rm --no-deps cairnd rollback          # says what would be lost; with --yes it is done
  OLD-FOLDER/install.sh$trust --downgrade --compose $folder"
	running=$(compose --profile '*' ps --services --filter status=running | grep -vx cairnd) || running=
	compose --profile '*' stop cairnd cairnd-2 # servers of two versions cannot share a database
	# shellcheck disable=SC2086 # words
	start_containers ${running:+cairnd} $running
	say "Upgraded to $version."
}

verify
[ "$check" = no ] || exit 0
case $task${folder:+-compose} in
upgrade) upgrade_packages ;;
upgrade-compose) upgrade_containers ;;
*-compose) install_containers ;;
*) install_packages ;;
esac
