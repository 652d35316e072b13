#!/bin/sh
# Make an empty virtual environment with a Python that is new enough, installing one if need be.
#
#   deploy/make-venv.sh FOLDER
#   deploy/make-venv.sh --find     (only prints the Python it would take)
set -eu

here=$(dirname "$0")

# On a Raspberry Pi the camera's library comes from the system's packages, for the system's Python.
if grep -qs Raspberry /proc/device-tree/model; then
    on_a_pi=yes
    candidates=/usr/bin/python3
else
    on_a_pi=no
    candidates="python3.13 python3.12 python3.11 python3"
fi

find_python() {
    for python in $candidates; do
        # It is run, not just looked up: a version manager leaves stubs for Pythons that are off.
        # Debian splits ensurepip off into python3-venv.
        if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
            >/dev/null 2>&1; then
            command -v "$python"
            return
        fi
    done
    echo "Snake Eye needs Python 3.11 or newer with venv, and found none." >&2
    return 1
}

if [ "$1" = --find ]; then
    find_python
    exit
fi

"$here/system-packages.sh" "'$0' --find" python3 python3-venv
python=$(find_python)

if [ "$on_a_pi" = yes ]; then
    # Looked up, not imported: picamera2 starts work when it is imported.
    has_picamera2='from importlib.util import find_spec; raise SystemExit(not find_spec("picamera2"))'
    # Only Raspberry Pi OS has that package; elsewhere a webcam or a phone still serves.
    "$here/system-packages.sh" "$python -c '$has_picamera2'" python3-picamera2 ||
        echo "Going on without the Pi camera." >&2
    "$python" -m venv --clear --system-site-packages "$1"
else
    "$python" -m venv --clear "$1"
fi
