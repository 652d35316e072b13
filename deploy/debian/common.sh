# shellcheck shell=sh
# shellcheck disable=SC2034  # used by the scripts that read this file
# Where everything lies on the machine, and what the package's scripts share. Read by them, not run.

program=/usr/lib/snake-eye
current=$program/current # the environment that runs
before=$program/before   # the one that ran before it
state=/var/lib/snake-eye
home=$state/home
settings=/etc/snake-eye/snake-eye.toml

fail() {
    echo "snake-eye: $*" >&2
    exit 1
}

# What lies in the service's folders is read and written as its user alone: a link or a name in them
# leads root nowhere.
as_service() {
    runuser -u snake-eye -- env -i PATH=/usr/bin:/bin HOME="$state" LANG=C.UTF-8 \
        SNAKE_EYE_HOME="$home" SNAKE_EYE_SETTINGS="$settings" PYTHONDONTWRITEBYTECODE=1 "$@"
}

# Point a link at an environment, in one step.
point() {
    ln -sfn "$2" "$1.new"
    mv -T "$1.new" "$1"
}

# back_up PROGRAM: a newer version may change the games in a way that the one before cannot read. Three
# backups are enough: each holds all that the older ones do.
back_up() {
    # shellcheck disable=SC2016  # its own shell expands it
    as_service sh -c '{ [ -e "$3/games" ] || [ -e "$3/games.sqlite3" ]; } || exit 0
        mkdir -p "$1" && "$2" backup "$1/before-update-$(date +%Y%m%d-%H%M%S).zip" >/dev/null &&
        find "$1" -maxdepth 1 -type f -name "before-update-*.zip" -print0 |
            sort -z | head -z -n -3 | xargs -0 -r rm -f' sh "$state/backups" "$1" "$home"
}

# A chroot or a container has no systemd that runs; then files are laid and nothing is started.
has_systemd() {
    [ -d /run/systemd/system ] && command -v systemctl >/dev/null
}

# The page answers within the time that a slow card needs to start it.
page_answers() {
    as_service "$current/bin/python" - "${SNAKE_EYE_HEALTH_WAIT_S:-90}" <<'PYTHON'
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
