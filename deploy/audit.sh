#!/bin/sh
# Ask whether a weakness is known in any library that is installed: `make audit`.
#
#   deploy/audit.sh [LOCK]...    default all of requirements/
#
# First what needs no network: pins and hashes, a short list of known weaknesses, and whether .venv
# is as locked. Then pip-audit asks PyPI, and where that is silent the OSV database.
# Exit status 0: no weakness is known; 1: something is wrong, each is named; 2: nobody could be
# asked, for all or for some.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -eq 0 ]; then set -- "$here"/../requirements/*.lock; fi

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"$here/make-venv.sh" "$tools/venv"

python=$here/../.venv/bin/python
if [ ! -x "$python" ]; then python=$tools/venv/bin/python; fi
status=0
"$python" "$here/audit_locks.py" "$@" || status=1

not_audited() {
    echo "NOT AUDITED by anybody else: $1 Try again with the internet." >&2
    if [ "$status" -eq 0 ]; then status=2; fi
}

if ! "$tools/venv/bin/pip" install --quiet --disable-pip-version-check pip-audit >"$tools/said" 2>&1; then
    not_audited "pip-audit cannot be installed: $(tail -n 1 "$tools/said")."
    exit "$status"
fi

for lock in "$@"; do
    worst=2
    for service in pypi osv; do
        "$tools/venv/bin/pip-audit" --require-hashes --disable-pip --progress-spinner off --timeout 20 \
            --vulnerability-service "$service" --format json -r "$lock" >"$tools/$service" 2>"$tools/said" || true
        answer=0
        "$tools/venv/bin/python" "$here/audit_answer.py" "$lock" "$service" "$tools/$service" || answer=$?
        if [ "$answer" -ne 2 ]; then
            worst=$answer
            break
        fi
    done
    case $worst in
        1) status=1 ;;
        2) not_audited "$(basename "$lock"): no advisory service could be reached." ;;
    esac
done
exit "$status"
