#!/bin/bash
# Run the deploy scripts for real in throw-away trees of Debian: install, install again, a failing
# update rolled back, backup, uninstall, install anew, restore.
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
printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
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

cat >"$tree/usr/local/sbin/systemctl" <<'STAND_IN'
#!/bin/bash
# Starts and stops the one service by its unit file.
unit=/etc/systemd/system/snake-eye.service pid=/run/service.pid
value() { sed -n "s/^$1=//p" "$unit"; }
stop() { if [[ -e $pid ]]; then kill -- "-$(cat $pid)" 2>/dev/null; for _ in {1..100}; do kill -0 -- "-$(cat $pid)" 2>/dev/null || break; sleep 0.1; done; rm -f $pid; fi; }
start() {
    mapfile -t environment < <(value Environment)
    cd "$(value WorkingDirectory)" || exit 1
    # shellcheck disable=SC2046
    setsid runuser -u "$(value User)" -- env -i PATH=/usr/bin:/bin "${environment[@]}" $(value ExecStart) \
        >>/var/log/service.log 2>&1 </dev/null &
    echo $! >$pid
}
case "$* " in
    *.path* | enable* | daemon-reload*) if [[ $* == disable*--now* ]]; then stop; fi ;;
    disable*) stop ;;
    restart*) stop; start ;;
    start*) start ;;
    stop*) stop ;;
    is-active*) [[ -e $pid ]] && kill -0 -- "-$(cat $pid)" ;;
    *) echo "stand-in of systemctl: what is $*?" >&2; exit 1 ;;
esac
STAND_IN
chmod +x "$tree/usr/local/sbin/systemctl"

mkdir "$tree/src"
(cd "$project" && find engine calibration vision models companion_app deploy requirements \
    pyproject.toml README.md LICENSE -type f ! -path '*/__pycache__/*' -print0 |
    tar --null -T - -cf -) | tar -C "$tree/src" -xf -
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
games() {
    inside sh -c 'cat /var/lib/snake-eye/home/games/*/log | grep -c "\"seq\": 1,"'
}
play() {
    inside systemctl stop snake-eye
    inside runuser -u snake-eye -- /opt/snake-eye/current/.venv/bin/python -c \
        'from pathlib import Path; from companion_app.live.store import Store; s = Store(Path("/var/lib/snake-eye/home")); s.append("tried", "started", {}); s.append("tried", "ended", {}); s.close()'
    inside systemctl start snake-eye
}
has_game() { [[ $(games) == 1 ]]; }
sign() { inside minisign -S -W -s /root/tester.key -m "$1" >/dev/null; }
runs() { [[ $(readlink "$tree/opt/snake-eye/current") == "$1" ]]; }

step "install"
must inside /src/deploy/install.sh
first=$(readlink "$tree/opt/snake-eye/current")
must answers
must play
must has_game
must cmp "$tree/etc/snake-eye/snake-eye.toml" "$tree/root/settings-before"
must inside runuser -u snake-eye -- test ! -w "$first"
must grep -qxE '[0-9]{4,12}' <(inside snake-eye pin --new)
must inside runuser -u nobody -- snake-eye perft --game snekagon --players red,green --depth 1
must inside snake-eye card --out /root/card.svg
must test -s "$tree/root/card.svg"
must inside runuser -u snake-eye -- test -r /var/lib/snake-eye/home/page.json
inside snake-eye doctor || true
must grep -q "<port>$port</port>" "$tree/etc/avahi/services/snake-eye.service"

step "install again"
must inside /src/deploy/install.sh
must runs "$first"
must answers
must has_game

step "a failing update"
cp -a "$tree/src" "$tree/src-bad"
# It installs and answers commands, and fails only when the page is to start.
sed -i 's/^    """Return the application."""$/&\n    raise RuntimeError("a release that cannot start")/' \
    "$tree/src-bad/companion_app/web/app.py"
must grep -q "cannot start" "$tree/src-bad/companion_app/web/app.py"
sed -i 's/^version = .*/version = "9.9.9"/' "$tree/src-bad/pyproject.toml"
tar -C "$tree" -czf "$tree/root/snake-eye-9.9.9.tar.gz" src-bad
must_not inside /src/deploy/update.sh /root/snake-eye-9.9.9.tar.gz
must_not inside /src/deploy/update.sh /src-bad
must inside minisign -G -W -p /etc/snake-eye/keys/tester.pub -s /root/tester.key
must sign /root/snake-eye-9.9.9.tar.gz
must_not inside env SNAKE_EYE_HEALTH_WAIT_S=15 /src/deploy/update.sh /root/snake-eye-9.9.9.tar.gz
must runs "$first"
must answers
must has_game
must grep -q "a release that cannot start" "$tree/var/log/service.log"
must_not test -e "$tree/opt/snake-eye/releases/9.9.9"*
must_not inside /src/deploy/update.sh /root/settings-before

step "an older release"
cp -a "$tree/src" "$tree/src-old"
sed -i 's/^version = .*/version = "0.0.1"/' "$tree/src-old/pyproject.toml"
tar -C "$tree" -czf "$tree/root/snake-eye-0.0.1.tar.gz" src-old
must sign /root/snake-eye-0.0.1.tar.gz
must_not inside /src/deploy/update.sh /root/snake-eye-0.0.1.tar.gz
must runs "$first"

step "updates asked for on the page"
# What the page does, by its own code, as its own user; and what the path unit does when it sees it.
page() {
    inside runuser -u snake-eye -- env SNAKE_EYE_HOME=/var/lib/snake-eye/home \
        /opt/snake-eye/current/.venv/bin/python /src/deploy/ask_page.py "$port" "$@"
}
wanted=$tree/var/lib/snake-eye/home/update/wanted result=$tree/var/lib/snake-eye/home/update/result
must_not page update
mkdir -p "$tree/opt/snake-eye/incoming"
cp "$tree/root/snake-eye-9.9.9.tar.gz"* "$tree/opt/snake-eye/incoming/"
must page update
must test -e "$wanted"
must_not inside env SNAKE_EYE_HEALTH_WAIT_S=15 /opt/snake-eye/current/deploy/update.sh --waiting
must_not test -e "$wanted"
must grep -qx 1 "$result"
must runs "$first"
must answers
must page result "failed"
rm "$tree/opt/snake-eye/incoming/"*
cp -a "$tree/src" "$tree/src-good"
sed -i 's/^version = .*/version = "9.9.8"/' "$tree/src-good/pyproject.toml"
tar -C "$tree" -czf "$tree/opt/snake-eye/incoming/snake-eye-9.9.8.tar.gz" src-good
must page update
must_not inside /opt/snake-eye/current/deploy/update.sh --waiting
must sign /opt/snake-eye/incoming/snake-eye-9.9.8.tar.gz
must page update
must inside /opt/snake-eye/current/deploy/update.sh --waiting
must grep -qx 0 "$result"
must page result "done"
must_not test -e "$tree/opt/snake-eye/incoming/snake-eye-9.9.8.tar.gz"
must_not runs "$first"
must answers
must has_game

step "backup"
must inside snake-eye backup /root/games.zip
must_not inside snake-eye backup /root/games.zip

step "uninstall"
must inside /src/deploy/uninstall.sh
must_not answers
must_not test -e "$tree/opt/snake-eye"
must_not test -e "$tree/usr/local/bin/snake-eye"
must test -s "$tree/var/lib/snake-eye/home/games/tried/log"

step "install anew and restore"
rm -rf "$tree/var/lib/snake-eye/home"
must inside /src/deploy/install.sh
must inside snake-eye restore /root/games.zip
must inside test -d /var/lib/snake-eye/home.before-restore-1
must has_game
for _ in {1..60}; do if answers; then break; fi; sleep 0.5; done
must answers
must_not inside snake-eye restore /root/settings-before

step "uninstall all"
must inside /src/deploy/uninstall.sh --all
must_not test -e "$tree/var/lib/snake-eye"
echo "== $suite: all well"
