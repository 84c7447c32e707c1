# Functions that the scripts share. Read by `. scripts/lib.sh`; callers run with `set -euo pipefail`.
# shellcheck shell=bash

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; }
fail() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# The head of the script that was called.
usage() { sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p;}' "$0"; }
wrong_word() { printf '%s: unknown word "%s"; see %s --help\n' "${0##*/}" "$1" "$0" >&2; exit 2; }

# Runs a command as root, through sudo where need be.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		fail "root is required: run this as root, or install sudo"
	fi
}

# quietly LOG COMMAND...: its output goes to the log, and is shown when it fails.
quietly() {
	local log=$1
	shift
	if ! "$@" >"$log" 2>&1; then
		tail -n 40 "$log" >&2
		fail "failed: $* (full output in $log)"
	fi
}

# build PRESET [CMAKE-ARGUMENT...]: configures once, then builds what changed, into build/PRESET.
build() {
	local preset=$1
	shift
	build_with "$preset" cmake --build --preset "$preset" "$@"
}

# build_targets PRESET TARGET...: only these, and without what the tests need.
build_targets() {
	local preset=$1
	shift
	build_with "$preset" cmake --build --preset "$preset" --target "$@"
}

# The commit, with "-dirty" behind it if files differ from it.
revision() {
	local git=(git -C "$top" -c safe.directory="$top")
	"${git[@]}" rev-parse --verify -q HEAD | sed "s/\$/$("${git[@]}" diff --quiet HEAD || echo -dirty)/" | grep . || echo unknown
}

# Builds the programs of packages and of the tarball, which say the revision of their source (cairn_build_info).
build_package() {
	# shellcheck disable=SC2016 # the inner shell's own
	build_with package sh -c 'cmake --preset package "-DCAIRN_REVISION=$0" && cmake --build --preset package' "$(revision)"
}

# with_progress LOG COMMAND...: says "n of N" while the command runs, from the lines "[n/N] …" that ninja writes to LOG. A
# terminal shows one line that changes, elsewhere a line is printed every ten seconds.
with_progress() {
	local log=$1 shown status=0
	shift
	show_progress "$log" &
	shown=$!
	"$@" || status=$?
	kill "$shown" 2>/dev/null || true
	wait "$shown" 2>/dev/null || true
	[ ! -t 1 ] || printf '\r\033[K'
	return "$status"
}

show_progress() {
	local log=$1 seconds=0 last="" now
	while sleep 1 && kill -0 "$$" 2>/dev/null; do # until the script ends, too
		seconds=$((seconds + 1))
		now=$(sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\].*/\1 of \2/p' "$log" 2>/dev/null | tail -n 1) || true
		[ -n "$now" ] && [ "$now" != "$last" ] || continue
		if [ -t 1 ]; then
			printf '\r\033[K  %s' "$now"
		elif [ $((seconds % 10)) = 1 ]; then
			printf '  %s\n' "$now"
		fi
		last=$now
	done
}

# One at a time into a folder.
build_with() {
	local preset=$1
	shift
	mkdir -p "$top/build"
	(cd "$top" && flock 9 && cmake --preset "$preset" && "$@") \
		9>"$top/build/$preset.lock" >"$top/build/$preset.log" 2>&1 || {
		grep -E -A3 'error|FAILED|Error' "$top/build/$preset.log" | head -n 60 >&2 || true
		fail "the build failed; the full output is in build/$preset.log"
	}
}

# Python programs of the suites live in .venv, made from tests/requirements.txt and the lint's.
make_venv() {
	local stamp="$top/.venv/made-from"
	local wanted
	wanted=$(cat "$top"/tests/requirements.txt "$top"/scripts/lint-requirements.txt | sha256sum)
	if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
		return
	fi
	mkdir -p "$top/build"
	[ -x "$top/.venv/bin/pip" ] || quietly "$top/build/venv.log" python3 -m venv "$top/.venv"
	quietly "$top/build/venv.log" "$top/.venv/bin/pip" install --disable-pip-version-check \
		-r "$top/tests/requirements.txt" -r "$top/scripts/lint-requirements.txt"
	printf '%s\n' "$wanted" >"$stamp"
}

# wait_for SECONDS COMMAND...: until the command succeeds; false when it does not in time.
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

# debian_mirrors RELEASE: lines for a sources.list, the mirrors of Debian that this machine's apt uses, for that release.
# Nothing when it uses none, as on Ubuntu; then mmdebstrap has a mirror of its own.
debian_mirrors() {
	local release=$1
	# shellcheck disable=SC2016 # apt's own $(…)
	apt-get indextargets --format '$(REPO_URI) $(LABEL) $(RELEASE)' \
		'Created-By: Packages' 'Origin: Debian' 2>/dev/null | sort -u |
		while read -r uri label suite; do
			case $label:$suite in
			Debian:*-updates) printf 'deb %s %s-updates main\n' "$uri" "$release" ;;
			Debian:*-*) ;;
			Debian:*) printf 'deb %s %s main\n' "$uri" "$release" ;;
			Debian-Security:*) printf 'deb %s %s-security main\n' "$uri" "$release" ;;
			esac
		done | sort -u
}
