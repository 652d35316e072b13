#!/bin/bash
# Try the package for real in throw-away trees of Debian: 1.0.0 taken over with its game, rolled back and
# updated again, a version that cannot start, what the service plants, backup, removal, restore, purge.
#
#   deploy/test-deploy.sh [bookworm] [trixie]     default both
#
# Wants Debian, root and the network. Systemd is stood in for by a small script that starts and
# stops the service by its unit file; everything else is the real thing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(dirname "$here")
cache=$project/.cache/deploy
port=$((20000 + RANDOM % 20000))

if [[ ${1:-} != --inside ]]; then
    [[ $(id -u) -eq 0 ]] || { echo "test-deploy makes chroots, which needs root" >&2; exit 1; }
    "$here/system-packages.sh" "command -v debootstrap" debootstrap
    mkdir -p "$cache/pip"
    [[ -e $project/.cache/.gitignore ]] || echo '*' >"$project/.cache/.gitignore"
    rm -rf "$cache/packages"
    "$here/make-deb.sh" "$cache/packages" >/dev/null
    for suite in "${@:-bookworm trixie}"; do
        # shellcheck disable=SC2086  # the default is two words
        for one in $suite; do
            # Mounts are made in a name space of their own and vanish with it.
            unshare --mount --propagation private "$here/test-deploy.sh" --inside "$one"
        done
    done
    exit
fi

# --- A tree of Debian, kept bare and copied for every run ---

suite=$2 bare=$cache/$suite tree=$(mktemp -d "$cache/$suite-run-XXXXXX")
clean_up() {
    kill_service
    umount "$tree/proc" "$tree/root/.cache/pip" 2>/dev/null || true
    rm -rf --one-file-system "$tree"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

kill_service() {
    if [[ -e $tree/run/service.pid ]]; then kill -9 -- "-$(cat "$tree/run/service.pid")" 2>/dev/null || true; fi
}

if [[ ! -e $bare.ready ]]; then
    rm -rf "$bare"
    # shellcheck disable=SC2016  # the dollar is apt's
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' |
        grep -v security | sort -u | head -n 1)
    echo "== $suite: making a bare tree ..."
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$bare" "$mirror" >"$bare.log" 2>&1 ||
        { tail -5 "$bare.log"; exit 1; }
    touch "$bare.ready"
fi
cp -a "$bare/." "$tree/"
cp /etc/resolv.conf /etc/hosts "$tree/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/"
if [[ -e /etc/pip.conf ]]; then cp /etc/pip.conf "$tree/etc/"; fi
# shellcheck disable=SC2016  # its own shell expands it
printf '#!/bin/sh\ncase "$1" in snake-eye*) exit 0 ;; esac\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
chmod +x "$tree/usr/sbin/policy-rc.d"
mkdir -p "$tree/run/systemd/system" "$tree/root/.cache/pip" "$tree/etc/snake-eye"
mount -t proc proc "$tree/proc"
# Devices of its own: were the machine's mounted here, cleaning up could reach them.
for device in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0"; do
    # shellcheck disable=SC2086  # name, major and minor number
    set -- $device
    [[ -c $tree/dev/$1 ]] || mknod -m 666 "$tree/dev/$1" c "$2" "$3"
done
ln -sfn /proc/self/fd "$tree/dev/fd"
mount --bind "$cache/pip" "$tree/root/.cache/pip"

cat >"$tree/usr/bin/systemctl" <<'STAND_IN'
#!/bin/bash
# Starts and stops the one service by its unit file.
unit=/etc/systemd/system/snake-eye.service
[[ -e $unit ]] || unit=$(ls /lib/systemd/system/snake-eye.service /usr/lib/systemd/system/snake-eye.service 2>/dev/null | head -n 1)
pid=/run/service.pid
value() { sed -n "s/^$1=//p" "$unit"; }
stop() { if [[ -e $pid ]]; then kill -- "-$(cat $pid)" 2>/dev/null; for _ in {1..100}; do kill -0 -- "-$(cat $pid)" 2>/dev/null || break; sleep 0.1; done; rm -f $pid; fi; }
start() {
    mapfile -t environment < <(value Environment)
    cd "$(value WorkingDirectory)" || exit 1
    # shellcheck disable=SC2046
    setsid runuser -u "$(value User)" -- env -i PATH=/usr/bin:/bin "${environment[@]}" $(value ExecStart) \
        >>/var/log/service.log 2>&1 </dev/null 3>&- & # debconf waits for what holds its 3
    echo $! >$pid
}
words=()
for word; do [[ $word == -* ]] || words+=("$word"); done
case "${words[*]} " in
    *reader* | *hall* | *.path* | daemon-reload* | preset* | enable* | disable* | show*) ;;
    is-enabled*) echo enabled ;;
    restart*) stop; start ;;
    start*) start ;;
    stop*) stop ;;
    is-active*) [[ -e $pid ]] && kill -0 -- "-$(cat $pid)" ;;
    *) echo "stand-in of systemctl: what is $*?" >&2; exit 1 ;;
esac
STAND_IN
chmod +x "$tree/usr/bin/systemctl"

# The last release before the package, by the commit that it was made of.
former=c61220d
mkdir "$tree/former"
git -C "$project" archive "$former" | tar -C "$tree/former" -x
package=$(echo "$cache"/packages/*.deb)
cp "$package" "$tree/root/snake-eye.deb"
sed -e "s/^port = .*/port = $port/" -e 's/^host = .*/host = "127.0.0.1"/' -e 's/^source = .*/source = "demo"/' \
    "$here/snake-eye.toml" >"$tree/etc/snake-eye/snake-eye.toml"
cp "$tree/etc/snake-eye/snake-eye.toml" "$tree/root/settings-before"

# --- What is done, and what must hold after it ---

inside() {
    chroot "$tree" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive SNAKE_EYE_HEALTH_WAIT_S=60 \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt "$@"
}
step() { echo "== $suite: $*"; }
must() { "$@" || { echo "FAILED on $suite: $*" >&2; tail -n 20 "$tree/var/log/service.log" >&2 || true; exit 1; }; }
must_not() { if "$@"; then echo "FAILED on $suite: should not have worked: $*" >&2; exit 1; fi; }
answers() { curl --silent --fail --max-time 5 --output /dev/null "http://127.0.0.1:$port/health"; }
current=/usr/lib/snake-eye/current
has_game() { [[ $(inside grep -c '"kind": "started"' "/var/lib/snake-eye/home/games/${1:-tried}/log") == 1 ]]; }
keep_game() { # keep_game PYTHON NAME: a short game, kept by the version that has this Python
    inside systemctl stop snake-eye
    inside runuser -u snake-eye -- "$1" -c \
        'from pathlib import Path; from companion_app.live.store import Store; import sys; s = Store(Path("/var/lib/snake-eye/home")); s.append(sys.argv[1], "started", {}); s.append(sys.argv[1], "ended", {}); s.close()' "$2"
    inside systemctl start snake-eye
}
runs() { [[ $(readlink "$tree$current") == "$1" ]]; }
install_it() { inside apt-get -qq install --yes --allow-downgrades --no-install-recommends "$1"; }
stops() { for _ in {1..100}; do answers || return 0; sleep 0.1; done; return 1; }
starts() { for _ in {1..120}; do if answers; then return 0; fi; sleep 0.5; done; return 1; }
with_changes() { # with_changes NUMBER: the same package under another number, changed by standard input
    rm -rf "$tree/root/$1"
    dpkg-deb --raw-extract "$package" "$tree/root/$1"
    sed -i "s/^Version: .*/Version: $1/" "$tree/root/$1/DEBIAN/control"
    echo "$1-changed" >"$tree/root/$1/usr/lib/snake-eye/number"
    (cd "$tree/root/$1" && bash -e)
    dpkg-deb --root-owner-group -Znone --build "$tree/root/$1" "$tree/root/$1.deb" >/dev/null
}

step "1.0.0 by its installer, with a game"
must inside apt-get -qq update
must inside /former/deploy/install.sh
must answers
inside systemctl stop snake-eye
must inside runuser -u snake-eye -- /opt/snake-eye/current/.venv/bin/python -c \
    'from pathlib import Path; from companion_app.live.store import Store; s = Store(Path("/var/lib/snake-eye/home")); s.append("tried", "started", {}); s.append("tried", "ended", {}); s.close()'
inside systemctl start snake-eye
echo 'HALL_ARGS="--port 8090 --broker 10.0.0.1"' >"$tree/etc/snake-eye/hall.env"

step "the package takes it over"
must install_it /root/snake-eye.deb
must starts
must has_game
first=$(readlink "$tree$current")
must cmp "$tree/etc/snake-eye/snake-eye.toml" "$tree/root/settings-before"
must grep -qx 'HALL_ARGS="--port 8090"' "$tree/etc/snake-eye/hall.env"
must_not test -e "$tree/etc/systemd/system/snake-eye.service"
must_not test -e "$tree/usr/local/bin/snake-eye"
must_not inside runuser -u snake-eye -- test -w "$current/bin"
must grep -qxE '[0-9]{4,12}' <(inside snake-eye pin --new)
must inside runuser -u nobody -- snake-eye perft --game snekagon --players red,green --depth 1
must_not inside runuser -u nobody -- snake-eye doctor
must inside snake-eye card --out /root/card.svg
must test -s "$tree/root/card.svg"
inside snake-eye doctor || true

step "rolled back to 1.0.0, with its games, and on again with everything"
must keep_game "$current/bin/python" newer
must inside snake-eye-rollback
must runs "$(readlink "$tree/opt/snake-eye/current")/.venv"
must starts
must grep -qs tried "$tree/var/lib/snake-eye/home/games.sqlite3" "$tree/var/lib/snake-eye/home/games.log"
must keep_game "$current/bin/python" again
must inside snake-eye-rollback
must runs "$first"
must starts
for game in tried newer again; do must has_game $game; done

step "a version that cannot start"
with_changes 9.9.9 <<'CHANGES'
wheel=$(ls usr/lib/snake-eye/wheels/snake_eye-*.whl)
mkdir parts
unzip -q "$wheel" companion_app/web/app.py -d parts
sed -i 's/^    """Return the application."""$/&\n    raise RuntimeError("a version that cannot start")/' parts/companion_app/web/app.py
grep -q "cannot start" parts/companion_app/web/app.py
(cd parts && zip -q "../$wheel" companion_app/web/app.py)
rm -r parts
CHANGES
inside env SNAKE_EYE_HEALTH_WAIT_S=15 apt-get -qq install --yes /root/9.9.9.deb || true
must grep -q "a version that cannot start" "$tree/var/log/service.log"
must runs "$first"
must starts
must has_game

step "what the service plants leads root nowhere"
echo secret >"$tree/root/secret"
chmod 600 "$tree/root/secret"
must inside runuser -u snake-eye -- sh -c 'cd /var/lib/snake-eye && mv backups kept-backups &&
    ln -s /root backups && ln -s /root/secret home/planted.json && ln -s /root home/update'

with_changes 9.9.10 </dev/null
inside apt-get -qq install --yes /root/9.9.10.deb || true
rm -f "$tree/root/9.9.10.deb" && rm -rf "$tree/root/9.9.10"
must runs "$first"
must [ "$(inside stat -c '%U %a' /root/secret)" = "root 600" ]
must_not inside sh -c 'ls /root/before-update-*'
inside runuser -u snake-eye -- sh -c 'cd /var/lib/snake-eye && rm backups home/planted.json home/update && mv kept-backups backups'
must install_it /root/snake-eye.deb
must starts

step "backup"
must inside snake-eye backup /root/games.zip
must_not inside snake-eye backup /root/games.zip

step "removal, and the package anew"
must inside apt-get -qq remove --yes snake-eye
must stops
must_not test -e "$tree/usr/lib/snake-eye/current"
must test -s "$tree/var/lib/snake-eye/home/games/tried/log"
rm -rf "$tree/var/lib/snake-eye/home"
must install_it /root/snake-eye.deb
must inside snake-eye restore /root/games.zip
must inside test -d /var/lib/snake-eye/home.before-restore-1
must has_game
must starts
must_not inside snake-eye restore /root/settings-before

step "what make card writes fits cloud-init's own schema"
mkdir -p "$tree/root/card"
touch "$tree/root/card/snake-eye_1_arm64.deb"
printf '%s\n' "Our home" "long enough" DE de anna "long enough" |
    must "$project/.venv/bin/python" "$here/make_card.py" "$tree/root/card" >/dev/null
must inside apt-get -qq install --yes --no-install-recommends cloud-init
must inside cloud-init schema --config-file /root/card/user-data
if [[ $suite != bookworm ]]; then # an older cloud-init knows no schema of networks
    must inside apt-get -qq install --yes --no-install-recommends netplan.io python3-netplan
    must inside cloud-init schema --schema-type network-config --config-file /root/card/network-config
fi

step "purge: games stay unless the owner says otherwise"
must inside apt-get -qq purge --yes snake-eye
must test -s "$tree/var/lib/snake-eye/home/games/tried/log"
must_not test -e "$tree/etc/snake-eye"
must install_it /root/snake-eye.deb
echo "snake-eye snake-eye/delete-games boolean true" | inside debconf-set-selections
must inside apt-get -qq purge --yes snake-eye
must_not test -e "$tree/var/lib/snake-eye"
echo "== $suite: all well in $SECONDS s"
