#!/bin/sh
# Make a release of what is committed: what people install, and what they can check it by.
#
#   deploy/make-release.sh FOLDER [KEY]
#
# snake-eye-VERSION.tar.gz            the source
# snake-eye_VERSION_{amd64,arm64}.deb for Debian and Raspberry Pi OS
# snake_eye-VERSION-py3-none-any.whl  for pipx
# snake-eye-VERSION.cdx.json          the parts that a game needs, with their hashes (CycloneDX)
# evaluate.md, soak.md, …             the reports of what was counted under build/, where it was
# SHA256SUMS                          of all of these
# SHA256SUMS.minisig                  with KEY, a secret key of minisign
set -eu

fail() {
    echo "snake-eye: $*" >&2
    exit 1
}

[ $# -ge 1 ] || fail "say a folder: $0 FOLDER [KEY]"
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
mkdir -p "$1"
out=$(cd "$1" && pwd)
key=${2:-}
case "$key" in "" | /*) ;; *) key=$PWD/$key ;; esac
python=${PYTHON:-$root/.venv/bin/python}

cd "$root"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
version=$(git show HEAD:pyproject.toml | sed -n 's/^version = "\(.*\)"/\1/p')
name=snake-eye-$version
git archive --prefix="$name/" --output="$out/$name.tar.gz" HEAD

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf "$out/$name.tar.gz"
"$python" -m pip --disable-pip-version-check --no-input --quiet wheel --no-deps \
    --no-build-isolation --wheel-dir "$out" "$work/$name"
"$python" -W ignore -m cyclonedx_py requirements "$work/$name/requirements/run.lock" \
    --pyproject "$work/$name/pyproject.toml" --mc-type application --output-reproducible \
    --output-format JSON --output-file "$out/$name.cdx.json"

set -- "$name.tar.gz" "snake_eye-$version-py3-none-any.whl" "$name.cdx.json"
for architecture in ${ARCHITECTURES-amd64 arm64}; do
    "$here/make-deb.sh" "$out" "$architecture" >/dev/null
    set -- "$@" "snake-eye_${version}_$architecture.deb"
done
for part in evaluate soak fuzz mutate tournaments; do
    report=$root/build/$part/REPORT.md
    [ -f "$report" ] || continue
    # Its pictures stay here.
    sed '/^!\[/d' "$report" >"$out/$part.md"
    set -- "$@" "$part.md"
done
cd "$out"
sha256sum "$@" >SHA256SUMS
if [ -n "$key" ]; then
    minisign -S -s "$key" -t "snake-eye $version" -m SHA256SUMS
else
    echo "Not signed: make release KEY=your.key signs it; see deploy/SECURITY.md"
fi
echo "Ready in $out: see deploy/README.md for how to install it."
