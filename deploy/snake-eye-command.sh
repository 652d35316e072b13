#!/bin/sh
# The command `snake-eye` on a machine where Snake Eye is installed: works on the service's games.
#
#   sudo snake-eye doctor | backup FILE | restore FILE | ...
#   sudo snake-eye pin --new        (makes another host PIN, and prints it this once)
#   snake-eye setting port          (prints one setting)
set -eu
export SNAKE_EYE_SETTINGS=/etc/snake-eye/snake-eye.toml
export SNAKE_EYE_HOME=/var/lib/snake-eye/home
program=/opt/snake-eye/current/.venv/bin

if [ "${1:-}" = setting ]; then
    exec "$program/python" -c 'import sys; from companion_app.settings import load_settings; print(getattr(load_settings(), sys.argv[1]))' "$2"
fi
case "${1:-}" in
    doctor | backup | restore | watch | teach | run | pin)
        [ "$(id -u)" -eq 0 ] || {
            echo "snake-eye: games belong to the service; type: sudo snake-eye $*" >&2
            exit 2
        }
        ;;
    *) exec "$program/snake-eye" "$@" ;;
esac

# A backup is written and read by whoever asks, not by the service's own user, who may see little.
if [ "$1" = backup ] || [ "$1" = restore ]; then
    what=$1
    shift
    options=
    file=
    for one in "$@"; do
        case $one in
            -*) options="$options $one" ;;
            *) file=$one ;;
        esac
    done
    [ -n "$file" ] || exec "$program/snake-eye" "$what" "$@"
    between=$(mktemp -d /var/lib/snake-eye/between-XXXXXX)
    trap 'rm -rf "$between"' EXIT
    chown snake-eye: "$between"
    running=no
    if [ "$what" = restore ]; then
        install -o snake-eye -m 600 "$file" "$between/backup.zip"
        if [ -d /run/systemd/system ] && systemctl is-active --quiet snake-eye; then
            running=yes
            systemctl stop snake-eye
        fi
    elif [ -e "$file" ]; then
        echo "snake-eye: $file exists already; name a new file" >&2
        exit 2
    fi
    status=0
    # shellcheck disable=SC2086  # a list of options without blanks
    runuser -u snake-eye -- "$program/snake-eye" "$what" $options "$between/backup.zip" || status=$?
    if [ "$running" = yes ]; then systemctl start snake-eye; fi
    if [ "$status" -eq 0 ] && [ "$what" = backup ]; then
        mv "$between/backup.zip" "$file"
        chown "$(id -u)" "$file"
        echo "It lies in $file."
    fi
    exit "$status"
fi
exec runuser -u snake-eye -- "$program/snake-eye" "$@"
