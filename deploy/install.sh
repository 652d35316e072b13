#!/bin/sh
# Install Snake Eye from the folder that this script lies in: an unpacked release or a checkout.
#
#   sudo deploy/install.sh
#
# For Raspberry Pi OS and Debian, bookworm and trixie. Run again, it brings everything back into
# order and keeps games and settings. When the page does not answer afterwards, the release that
# ran before is put back.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$here")
# shellcheck source=deploy/places.sh
. "$here/places.sh"
must_be_root "$@"

[ -e "$source/pyproject.toml" ] || fail "$source is no release: it has no pyproject.toml"
. /etc/os-release
case "${VERSION_CODENAME:-}" in
    bookworm | trixie) ;;
    *) echo "Snake Eye is tried on Debian bookworm and trixie, not on ${PRETTY_NAME:-this}." >&2 ;;
esac

# --- What the system brings ---

"$here/system-packages.sh" "command -v openssl && command -v runuser && command -v hostname" \
    openssl util-linux hostname
"$here/system-packages.sh" "test -e /usr/sbin/avahi-daemon" avahi-daemon ||
    echo "Going on without avahi: the page is found by its address, not as $(hostname).local." >&2
"$here/system-packages.sh" "command -v minisign" minisign ||
    echo "Going on without minisign: who signed releases cannot be checked." >&2
if ! id "$user" >/dev/null 2>&1; then
    useradd --system --user-group --home-dir "$state" --no-create-home --shell /usr/sbin/nologin "$user"
fi
for group in video render; do
    if getent group "$group" >/dev/null; then usermod --append --groups "$group" "$user"; fi
done

# --- The release ---

parts="engine calibration vision models companion_app deploy requirements pyproject.toml README.md LICENSE"
list_files() {
    # shellcheck disable=SC2086  # a list of names without blanks
    (cd "$source" && find -L $parts -type f ! -path '*/__pycache__/*' ! -name '*.pyc' ! -path 'models/lab/*' | LC_ALL=C sort)
}
number=$(list_files | (cd "$source" && tr '\n' '\0' | xargs -0 sha256sum) | sha256sum | cut -c1-12)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$source/pyproject.toml")
release=$base/releases/$version-$number
before=$(readlink "$current" 2>/dev/null || true)
known_pin=no
if [ -e "$state/home/page.json" ]; then known_pin=yes; fi

if [ ! -e "$release/ready" ]; then
    echo "Installing Snake Eye $version into $release ..."
    rm -rf "$release"
    trap 'rm -rf "$release"' EXIT # what is half made is not kept
    mkdir -p "$release"
    list_files | tar -C "$source" --no-same-owner -cf - -T - | tar -C "$release" --no-same-owner -xf -
    "$release/deploy/make-venv.sh" "$release/.venv"
    pip="$release/.venv/bin/python -m pip --disable-pip-version-check --no-input --quiet"
    # Wheels only: a Pi would compile for hours.
    $pip install --require-hashes --no-deps --only-binary :all: -r "$release/requirements/run.lock"
    $pip install --no-deps --no-build-isolation --editable "$release"
    "$release/.venv/bin/python" -m compileall -q "$release/engine" "$release/calibration" \
        "$release/vision" "$release/companion_app" "$release/models"
    chown -R root:root "$release"
    chmod -R go+rX,go-w "$release"
    "$release/.venv/bin/snake-eye" rules --game schlangennest --json >/dev/null
    touch "$release/ready"
    trap - EXIT
fi

# --- Settings, games, command, service ---

mkdir -p "$(dirname "$settings")" "$state"
[ -e "$settings" ] || install -m 640 "$release/deploy/snake-eye.toml" "$settings"
# It may hold the password of a broker, which only root and the service read.
chown -h "root:$(id -gn "$user")" "$settings"
chmod 640 "$settings"
# Whose releases are taken is settled at the first installation; a later one changes nothing of it.
if [ ! -d "$keys" ]; then
    mkdir -p "$keys"
    for key in "$release"/deploy/keys/*.pub; do
        if [ -f "$key" ]; then install -m 644 "$key" "$keys/"; fi
    done
fi
# /var/lib is root's, so nobody has put a link there. What lies in the folder is made by its owner:
# a link that the service left there would lead root to any folder of the machine.
chown -h "$user:" "$state"
chmod 750 "$state"
# shellcheck disable=SC2016  # its own shell expands it
as_user sh -c 'mkdir -p "$1" && chmod 700 "$1"' sh "$home" ||
    fail "$home belongs to somebody else than $user; look who made it, and move it away"

switch_to "$release"
install -m 755 "$release/deploy/snake-eye-command.sh" "$command"
for unit in snake-eye.service snake-eye-update.service snake-eye-update.path; do
    install -D -m 644 "$release/deploy/$unit" "$units/$unit"
done
if [ -d "$(dirname "$announced")" ]; then
    port=$("$command" setting port 2>/dev/null || echo 8080)
    sed "s|<port>[0-9]*</port>|<port>$port</port>|" "$release/deploy/snake-eye-avahi.service" >"$announced"
fi

if has_systemd; then
    systemctl daemon-reload
    systemctl enable --quiet snake-eye.service snake-eye-update.path
    systemctl start snake-eye-update.path || true
    if ! systemctl restart snake-eye.service || ! is_healthy; then
        echo "snake-eye: the page does not answer; see: journalctl -u snake-eye" >&2
        if [ -n "$before" ] && [ "$before" != "$release" ] && [ -e "$before/ready" ]; then
            switch_to "$before"
            for unit in snake-eye.service snake-eye-update.service snake-eye-update.path; do
                install -m 644 "$before/deploy/$unit" "$units/$unit"
            done
            systemctl daemon-reload
            systemctl restart snake-eye.service
            rm -rf "$release"
            fail "put back the release that ran before: $(basename "$before")"
        fi
        exit 1
    fi
fi

# The release that runs and the one before it are kept.
for old in "$base"/releases/*; do
    if [ "$old" != "$release" ] && [ "$old" != "$before" ]; then rm -rf "$old"; fi
done

echo "Snake Eye $version is installed. Settings: $settings. What is wrong, if anything: snake-eye doctor"
if has_systemd; then
    echo "Open http://$(hostname).local:$("$command" setting port)/ on any phone in this network."
    if [ "$known_pin" = yes ]; then
        echo "The host PIN is the one you know; sudo snake-eye pin --new makes another."
    else
        echo "Host PIN: $("$command" pin --new) (who types it in on the page may begin and correct games; it is shown this once)"
    fi
fi
