#!/bin/sh
# Upgrades Cairn to the version in this folder; no network is used.
#
#   ./upgrade.sh [--key FILE | --unsigned] [--check]                      packages of Debian: those that are installed
#   ./upgrade.sh [--key FILE | --unsigned] [--check] --compose FOLDER     containers: FOLDER is what install.sh was given
#
# What can be checked is checked before the server is stopped, and the way back is printed. The server copies its database before
# the new version changes it. Keep the folder of the old version until you do not need it any more. Options and exit status are
# those of install.sh.
set -eu
CAIRN_INSTALL_TASK=upgrade exec "$(dirname "$(readlink -f "$0")")/install.sh" "$@"
