#!/bin/sh
# Upgrades Cairn to the version in this folder; no network is used.
#
#   ./upgrade.sh [--key FILE | --unsigned] [--check]                      installed packages of Debian
#   ./upgrade.sh [--key FILE | --unsigned] [--check] --compose FOLDER     containers: FOLDER as for install.sh
#
# Checks run before the server is stopped, and the way back is printed. The server copies its database before the new version
# changes it. Keep the folder of the old version until you do not need it any more. Options and exit status are those of
# install.sh.
set -eu
CAIRN_INSTALL_TASK=upgrade exec "$(dirname "$(readlink -f "$0")")/install.sh" "$@"
