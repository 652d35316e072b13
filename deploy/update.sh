#!/bin/sh
# Update Snake Eye to another release; when its page does not answer, the old one is put back.
#
#   sudo deploy/update.sh [--unsigned] [--downgrade] RELEASE.tar.gz | FOLDER
#   sudo deploy/update.sh --waiting    (a release that was put into /opt/snake-eye/incoming or,
#                                       with the card in another computer, onto the boot partition)
#
# A release must be signed by a key in /etc/snake-eye/keys and may not be older than what runs; a
# folder is signed by nobody. --unsigned and --downgrade say that you know what you do.
# Games are backed up first. The page can ask for --waiting and for nothing else: whoever has the
# host PIN cannot bring code onto the machine, only whoever has root or the card.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=deploy/places.sh
. "$here/places.sh"
must_be_root "$@"
knowingly=
while [ "${1:-}" = --unsigned ] || [ "${1:-}" = --downgrade ]; do
    knowingly="$knowingly $1"
    shift
done
[ $# -eq 1 ] || fail "say what to update to: $0 RELEASE.tar.gz, a folder, or --waiting"

work=$(mktemp -d)
finish() {
    status=$?
    rm -rf "$work"
    # The folder belongs to the service: done as its user, so that no link leads elsewhere.
    # shellcheck disable=SC2016  # its own shell expands it
    as_user sh -c 'if [ -e "$1" ]; then rm -f "$1"; echo "$3" >"$2"; fi' sh \
        "$home/update/wanted" "$home/update/result" "$status" || true
}
trap finish EXIT

wanted=$1
if [ "$wanted" = --waiting ]; then
    wanted=
    for folder in "$base/incoming" /boot/firmware /boot; do
        # By version, so that 0.10.0 comes after 0.9.0.
        found=$(find -H "$folder" -maxdepth 1 -type f -name 'snake-eye-*.tar.gz' 2>/dev/null |
            sort -V | tail -n 1)
        if [ -n "$found" ]; then wanted=$found; fi
    done
    [ -n "$wanted" ] || fail "no release waits in $base/incoming or on the boot partition"
fi

runs=$(sed -n 's/^version = "\(.*\)"/\1/p' "$current/pyproject.toml" 2>/dev/null || true)
if [ -d "$wanted" ]; then
    case "$knowingly" in
        *--unsigned*) source=$wanted ;;
        *) fail "$wanted is a folder, which nobody can have signed; where you know who made it, give --unsigned" ;;
    esac
else
    # What is checked is what is unpacked: nobody changes this copy in between.
    copy=$work/$(basename "$wanted")
    cp "$wanted" "$copy" || fail "$wanted cannot be read"
    if [ -e "$wanted.minisig" ]; then cp "$wanted.minisig" "$copy.minisig"; fi
    "$here/system-packages.sh" "command -v minisign" minisign || true
    # shellcheck disable=SC2086  # a list of options without blanks
    "$here/check-release.sh" $knowingly "$copy" "$keys" "$runs"
    tar -tzf "$copy" >"$work/names" || fail "$wanted is no release: it cannot be unpacked"
    if grep -Eq '^/|(^|/)\.\.(/|$)' "$work/names"; then
        fail "$wanted is no release: it holds files that would lie elsewhere"
    fi
    mkdir "$work/release"
    tar -C "$work/release" --no-same-owner -xzf "$copy"
    source=$(find "$work/release" -maxdepth 2 -name pyproject.toml -exec dirname {} \; | head -n 1)
fi
if [ -z "$source" ] || [ ! -x "$source/deploy/install.sh" ]; then
    fail "$wanted is no release of Snake Eye"
fi

saved=
if [ -e "$home/games" ] || [ -e "$home/games.sqlite3" ]; then
    saved=$state/backups/before-update-$(date +%Y%m%d-%H%M%S).zip
    # By the owner of the folder: no link and no name in it leads root elsewhere. The three newest
    # are enough: each holds all that the older ones do.
    # shellcheck disable=SC2016  # its own shell expands it
    as_user sh -c 'mkdir -p "$1" && "$2" backup "$3" &&
        find "$1" -maxdepth 1 -type f -name "before-update-*.zip" -print0 |
            sort -z | head -z -n -3 | xargs -0 -r rm -f' sh \
        "$state/backups" "$current/.venv/bin/snake-eye" "$saved" ||
        fail "the games could not be backed up, so nothing was changed"
fi
if ! "$source/deploy/install.sh"; then
    # A newer release may have changed the games in a way that the old one cannot read.
    if has_systemd && [ -n "$saved" ] && ! is_healthy; then
        # A release before this one knows no such option, and brings all of it anyway.
        systemctl stop snake-eye
        for how in --with-secrets ""; do
            # shellcheck disable=SC2086  # an option or none
            if as_user "$current/.venv/bin/snake-eye" restore $how "$saved"; then break; fi
        done
        systemctl start snake-eye
        is_healthy || fail "the update failed, and so does the release before it; see: journalctl -u snake-eye"
    fi
    fail "the update failed; everything is as it was before"
fi
# Installed: what waited does not wait any more. The boot partition may be read-only.
if [ "$1" = --waiting ]; then mv -f "$wanted" "$wanted.installed" 2>/dev/null || true; fi
