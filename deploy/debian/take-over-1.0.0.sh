# shellcheck shell=sh
# shellcheck disable=SC2154  # places are named by common.sh
# Read by the package's postinst: what `deploy/install.sh` of 1.0.0 left is taken over. Games, settings
# and keys lie where they lay; its program stays at hand for snake-eye-rollback until the next update.

former=/opt/snake-eye

if [ ! -e "$current" ] && [ -x "$former/current/.venv/bin/snake-eye" ]; then
    point "$current" "$(readlink -f "$former/current")/.venv"
elif [ -d "$former" ]; then
    case "$(readlink "$current"):$(readlink "$before")" in
        *"$former"/*) ;;
        *) rm -rf "$former" ;;
    esac
fi

# A hall has no broker any more; tables reach it by https.
hall=/etc/snake-eye/hall.env
if grep -qs -- '--broker' "$hall"; then
    sed -i -E 's/ *--broker[a-z-]*([= ][^ "]*)?//g' "$hall"
    echo "snake-eye: $hall named a broker, which a hall needs no longer; it was taken out."
fi

# Done last, so that the game goes on while the new environment is made.
leave_former_units() {
    units=/etc/systemd/system
    [ -f "$units/snake-eye.service" ] || return 0
    if has_systemd; then
        systemctl disable --quiet --now snake-eye-update.path || true
        systemctl stop snake-eye.service || true
    fi
    # They would stand before the package's.
    for unit in snake-eye.service snake-eye-update.service snake-eye-update.path; do
        rm -f "$units/$unit" "$units/multi-user.target.wants/$unit"
    done
    if grep -qs "$former/current" /usr/local/bin/snake-eye; then rm -f /usr/local/bin/snake-eye; fi
}
