#!/bin/sh
# The command `snake-eye` on a machine where Snake Eye is installed: works on the service's games.
#
#   sudo snake-eye doctor | backup FILE | restore FILE | ...
#   sudo snake-eye pin --new        (makes another host PIN, and prints it this once)
#   sudo snake-eye setting port     (prints one setting)
set -eu
export SNAKE_EYE_SETTINGS=/etc/snake-eye/snake-eye.toml
export SNAKE_EYE_HOME=/var/lib/snake-eye/home
program=/opt/snake-eye/current/.venv/bin

if [ "${1:-}" = setting ]; then
    exec "$program/python" -I -c 'import sys; from companion_app.settings import load_settings; print(getattr(load_settings(), sys.argv[1]))' "$2"
fi
case "${1:-}" in
    box)
        # A box that is taken in becomes the service's.
        whose=caller
        case " $* " in
            *" --take "*) whose=service ;;
        esac
        ;;
    doctor | backup | restore | watch | teach | run | pin | card | hall) whose=service ;;
    *) whose=caller ;;
esac
case $whose in
    service)
        [ "$(id -u)" -eq 0 ] || {
            echo "snake-eye: games belong to the service; type: sudo snake-eye $*" >&2
            exit 2
        }
        ;;
    caller)
        # Nobody else may look into the service's folder; others have one of their own.
        if [ "$(id -u)" -ne 0 ]; then unset SNAKE_EYE_HOME SNAKE_EYE_SETTINGS; fi
        exec "$program/snake-eye" "$@"
        ;;
esac

# The service's own user sees nothing of the caller's folders: what it is to read is copied to where
# it may look, and what it writes is brought from there.
between=
out=
before=
what=$1
left=$#
while [ "$left" -gt 0 ]; do
    case $1 in
        --out=* | --photos=* | --labels=* | --map=*)
            one=$1
            shift
            set -- "${one%%=*}" "${one#*=}" "$@"
            left=$((left + 1))
            ;;
    esac
    one=$1
    shift
    left=$((left - 1))
    named=$one
    case "$what $before" in
        "card --out" | "hall backup" | "backup backup" | "backup --json") out=$one ;;
        "teach --photos" | "teach --labels" | "teach --map" | "hall restore") ;;
        "restore restore" | "restore --json" | "restore --with-secrets") ;;
        "box box" | "box --json" | "box --take") ;;
        *) named= ;;
    esac
    case $named in
        -*)
            named=
            out=
            ;;
    esac
    if [ -n "$named" ]; then
        if [ -z "$between" ]; then
            # Root's own folder, on the disk: the service owns only what lies inside it, and cannot
            # put a link in its place.
            outer=$(mktemp -d /var/tmp/snake-eye-XXXXXX)
            trap 'rm -rf "$outer"' EXIT
            chmod 711 "$outer"
            between=$outer/files
            mkdir "$between"
        fi
        one=$(basename -- "$named")
        if [ "$named" != "$out" ]; then
            [ -e "$named" ] || {
                echo "snake-eye: there is no $named" >&2
                exit 2
            }
            one=${before#--}/$one
            mkdir -p "$between/${before#--}"
            cp -rL -- "$named" "$between/$one"
        elif [ -e "$out" ]; then
            echo "snake-eye: $out exists already; name a new file" >&2
            exit 2
        fi
    fi
    before=${named:-$one}
    set -- "$@" "$one"
done
[ -n "$between" ] || exec runuser -u snake-eye -- "$program/snake-eye" "$@"
chown -hR snake-eye: "$between"
running=no
if [ "$what" = restore ] && [ -d /run/systemd/system ] && systemctl is-active --quiet snake-eye; then
    running=yes
    systemctl stop snake-eye
fi
status=0
(cd "$between" && runuser -u snake-eye -- "$program/snake-eye" "$@") || status=$?
if [ "$running" = yes ]; then systemctl start snake-eye; fi
# Read as the service and written as a new file, for its owner alone: a link on either side leads
# nowhere.
if [ -n "$out" ] && runuser -u snake-eye -- test -f "$between/$(basename -- "$out")"; then
    umask 077
    set -C
    # shellcheck disable=SC2094  # two files of one name
    runuser -u snake-eye -- cat -- "$between/$(basename -- "$out")" >"$out"
    chown -h "${SUDO_UID:-0}:${SUDO_GID:-0}" "$out"
fi
exit "$status"
