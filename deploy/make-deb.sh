#!/bin/sh
# Make a Debian package of what is committed, with every library in it as a wheel.
#
#   deploy/make-deb.sh FOLDER [amd64|arm64]
#
# For the system's Python of Debian 12 and 13 and of Raspberry Pi OS (3.11 and 3.13). Built twice
# from one commit it is the same, byte for byte.
set -eu

fail() {
    echo "snake-eye: $*" >&2
    exit 1
}

[ $# -ge 1 ] || fail "say a folder: $0 FOLDER [amd64|arm64]"
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
mkdir -p "$1"
out=$(cd "$1" && pwd)
architecture=${2:-$(dpkg --print-architecture)}
case "$architecture" in
    amd64) processor=x86_64 ;;
    arm64) processor=aarch64 ;;
    *) fail "packages are made for amd64 and arm64, not for $architecture" ;;
esac
"$here/system-packages.sh" "command -v dh && command -v dpkg-buildpackage" debhelper dpkg-dev
pip="${PYTHON:-$root/.venv/bin/python} -m pip --disable-pip-version-check --no-input --quiet"

cd "$root"
version=$(git show HEAD:pyproject.toml | sed -n 's/^version = "\(.*\)"/\1/p')
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$work/snake-eye-$version
mkdir "$source"
git archive HEAD | tar -C "$source" -x
cp -r "$source/deploy/debian" "$source/debian"
printf 'snake-eye (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$version" \
    "$(sed -n 's/^Maintainer: //p' "$source/debian/control")" \
    "$(date -uRd "@$SOURCE_DATE_EPOCH")" >"$source/debian/changelog"

wheels=$source/wheels
$pip wheel --no-deps --no-build-isolation --wheel-dir "$wheels" "$source"
# All that the C library of Debian 12 runs.
platforms="--platform any --platform manylinux2014_$processor"
for minor in $(seq 17 36); do platforms="$platforms --platform manylinux_2_${minor}_$processor"; done
for python in 3.11 3.13; do
    # shellcheck disable=SC2086  # a list of options
    $pip download --require-hashes --no-deps --only-binary :all: --implementation cp \
        --python-version "$python" $platforms --dest "$wheels" \
        --requirement "$source/requirements/run.lock" --requirement "$source/requirements/hall.lock"
done
# What is installed: each by its name, for a wheel is there for one Python or the other.
(cd "$wheels" && ls) | cut -d- -f1 | sort -u >"$work/names"
mv "$work/names" "$wheels/names"
echo "$version-$(cd "$wheels" && sha256sum -- * | sha256sum | cut -c1-12)" >"$source/number"
rm -rf "$source/build" "$source"/*.egg-info

(cd "$source" && dpkg-buildpackage --build=binary --host-arch="$architecture" --no-check-builddeps \
    --unsigned-changes --unsigned-source >"$work/log" 2>&1) || { tail -n 20 "$work/log" >&2; exit 1; }
mv "$work/snake-eye_${version}_$architecture.deb" "$out/"
echo "Ready: $out/snake-eye_${version}_$architecture.deb; install it with: sudo apt install FILE"
