# shellcheck shell=sh
# shellcheck disable=SC2034  # used by the scripts that read this file
# Where everything lies on the machine, and what the other scripts share. Read by them, not run.

user=snake-eye
base=/opt/snake-eye
current=$base/current
settings=/etc/snake-eye/snake-eye.toml
keys=/etc/snake-eye/keys
state=/var/lib/snake-eye
home=$state/home
units=/etc/systemd/system
command=/usr/local/bin/snake-eye
announced=/etc/avahi/services/snake-eye.service
health_wait_s=${SNAKE_EYE_HEALTH_WAIT_S:-90}

fail() {
    echo "snake-eye: $*" >&2
    exit 1
}

must_be_root() {
    [ "$(id -u)" -eq 0 ] || fail "this needs root; type: sudo $0 $*"
}

# A chroot or a container has no systemd that runs; then files are laid and nothing is started.
has_systemd() {
    [ -d /run/systemd/system ] && command -v systemctl >/dev/null
}

as_user() {
    runuser -u "$user" -- env -i PATH=/usr/bin:/bin HOME="$state" LANG=C.UTF-8 \
        SNAKE_EYE_HOME="$home" SNAKE_EYE_SETTINGS="$settings" PYTHONDONTWRITEBYTECODE=1 "$@"
}

# The page answers within the time that a slow card needs to start it.
is_healthy() {
    as_user "$current/.venv/bin/python" - "$health_wait_s" <<'PYTHON'
import sys
import time

from companion_app.service import page_answers
from companion_app.settings import load_settings

settings, end_s = load_settings(), time.monotonic() + float(sys.argv[1])
while not page_answers(settings):
    if time.monotonic() > end_s:
        sys.exit(1)
    time.sleep(0.5)
PYTHON
}

# Point `current` at a release, in one step.
switch_to() {
    ln -sfn "$1" "$base/current.new"
    mv -T "$base/current.new" "$current"
}
