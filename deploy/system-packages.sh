#!/bin/sh
# Install packages of the system when something they bring is missing.
#
#   deploy/system-packages.sh 'CHECK' PACKAGE...
#
# CHECK is a shell command that succeeds once the packages are there; when it does, nothing is done.
# Otherwise they are installed where that is possible without a password, and where it is not, one
# sentence says what to type.
set -eu

check=$1
shift

if sh -c "$check" >/dev/null 2>&1; then
    exit 0
fi

if ! command -v apt-get >/dev/null; then
    echo "Snake Eye needs what Debian calls $*; install it with this system's own tools, then try again." >&2
    exit 1
fi

if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "Snake Eye needs $*; type: sudo apt-get install --yes $*" >&2
    exit 1
fi

echo "Installing $* ..."
# A fresh system has no package lists yet, or old ones.
$as_root apt-get -qq update
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install --yes --no-install-recommends "$@" >/dev/null

if ! sh -c "$check" >/dev/null; then
    echo "Installed $*, but this still fails: $check" >&2
    exit 1
fi
