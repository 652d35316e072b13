#!/bin/sh
# Say whether a release may be installed: signed by a key that this machine trusts, and not older
# than what runs.
#
#   deploy/check-release.sh [--unsigned] [--downgrade] RELEASE.tar.gz KEYS VERSION
#
# KEYS is a folder of public keys of minisign (*.pub); the signature lies beside the release as
# RELEASE.tar.gz.minisig. VERSION is the one that runs, empty for none. Whoever gives --unsigned or
# --downgrade has to know why. Who holds which key stands in SECURITY.md.
set -eu

fail() {
    echo "snake-eye: $*" >&2
    exit 1
}

unsigned=no downgrade=no
while :; do
    case "${1:-}" in
        --unsigned) unsigned=yes ;;
        --downgrade) downgrade=yes ;;
        *) break ;;
    esac
    shift
done
[ $# -eq 3 ] || fail "say a release, a folder of keys and the version that runs"
release=$1 keys=$2 runs=$3
name=$(basename "$release")

signed_by() {
    for key in "$keys"/*.pub; do
        if [ -f "$key" ] && minisign -V -q -p "$key" -m "$release" -x "$release.minisig" 2>/dev/null; then
            basename "$key" .pub
            return
        fi
    done
}

if [ "$unsigned" = yes ]; then
    echo "Nobody is asked who made $name, since --unsigned was given."
else
    [ -f "$release.minisig" ] || fail "$name is not signed: $name.minisig is missing beside it; where you know who made it, give --unsigned"
    command -v minisign >/dev/null || fail "the signature cannot be checked; type: sudo apt install minisign"
    by=$(signed_by)
    [ -n "$by" ] || fail "$name is signed by nobody whose key lies in $keys, or was changed after it was signed"
    echo "$name is signed by $by."
fi

version=$(tar -xzOf "$release" --wildcards --no-wildcards-match-slash '*/pyproject.toml' 2>/dev/null |
    sed -n 's/^version = "\([0-9][0-9A-Za-z.+-]*\)"$/\1/p' | head -n 1)
[ -n "$version" ] || fail "$name is no release of Snake Eye: it names no version"
newest=$(printf '%s\n%s\n' "$version" "$runs" | sort -V | tail -n 1)
if [ -n "$runs" ] && [ "$newest" != "$version" ] && [ "$downgrade" = no ]; then
    fail "$name is version $version, older than $runs that runs; an older one may have weaknesses that are known: where you want it all the same, give --downgrade"
fi
