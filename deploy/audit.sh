#!/bin/sh
# Ask whether a weakness is known in any library that is installed: `make audit`.
#
#   deploy/audit.sh [LOCK]...    default requirements/run.lock and requirements/dev.lock
#
# Exit status 0: none is known; 1: some are, each is named; 2: nobody could be asked, for all or
# for some, and nothing is known. Wants the network: pip-audit asks PyPI, then the OSV database.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -eq 0 ]; then set -- "$here/../requirements/run.lock" "$here/../requirements/dev.lock"; fi

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"$here/make-venv.sh" "$tools/venv"
if ! "$tools/venv/bin/pip" install --quiet --disable-pip-version-check pip-audit >"$tools/said" 2>&1; then
    echo "NOT AUDITED: pip-audit cannot be installed: $(tail -n 1 "$tools/said")" >&2
    exit 2
fi

status=0
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
    if [ "$worst" -eq 2 ]; then
        echo "NOT AUDITED: $(basename "$lock"): no advisory service could be reached; try again with the internet." >&2
    fi
    if [ "$worst" -eq 1 ] || { [ "$worst" -eq 2 ] && [ "$status" -eq 0 ]; }; then status=$worst; fi
done
exit "$status"
