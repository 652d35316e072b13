#!/bin/sh
# Remove Snake Eye and keep the games.
#
#   sudo deploy/uninstall.sh            games stay in /var/lib/snake-eye, settings in /etc/snake-eye
#   sudo deploy/uninstall.sh --all      games and settings go too
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=deploy/places.sh
. "$here/places.sh"
must_be_root "$@"

if has_systemd; then
    systemctl disable --quiet --now snake-eye-update.path snake-eye.service || true
fi
rm -f "$units/snake-eye.service" "$units/snake-eye-update.service" "$units/snake-eye-update.path" \
    "$announced" "$command"
if has_systemd; then systemctl daemon-reload; fi
rm -rf "$base"

if [ "${1:-}" = --all ]; then
    rm -rf "$state" "$(dirname "$settings")"
    if id "$user" >/dev/null 2>&1; then userdel "$user"; fi
    echo "Snake Eye and all games are gone."
else
    # The user stays with the files that belong to it.
    echo "Snake Eye is gone; games are kept in $home, settings in $settings."
fi
