# Sourced by the other scripts: makes the virtual environment .venv and installs into it.
# Needs Python 3.11 or later with venv, and a package index. Honours PYTHON (the interpreter to
# use) and VENV (where the environment goes, .venv by default).
# shellcheck shell=bash

caller_directory=$PWD
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=${VENV:-$root/.venv}
case $venv in /*) ;; *) venv=$caller_directory/$venv ;; esac
# A relative path means what it meant to the caller, not what it would mean after the cd below.
case ${COREFINE_DATA:-} in '' | /*) ;; *) export COREFINE_DATA=$caller_directory/$COREFINE_DATA ;; esac
cd "$root" || exit

say() { printf '%s\n' "$*" >&2; }

# Tries a command up to four times, with longer and longer pauses: package indexes fail at times.
with_retries() {
    local attempt
    for attempt in 1 2 3 4; do
        if "$@"; then return 0; fi
        if [ "$attempt" -lt 4 ]; then
            say "failed (attempt $attempt of 4), trying again in $((attempt * 5)) s: $*"
            sleep $((attempt * 5))
        fi
    done
    return 1
}

# A python3.x on the PATH may be a shim that leads nowhere, or lack venv: only a run tells.
is_usable_python() {
    "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    local candidate
    if [ -n "${PYTHON:-}" ]; then
        if is_usable_python "$PYTHON"; then
            printf '%s\n' "$PYTHON"
            return 0
        fi
        say "PYTHON=$PYTHON is not a Python 3.11 or later with the modules venv and ensurepip."
        return 1
    fi
    for candidate in python3 python3.11 python3.12 python3.13 python3.14 python; do
        if is_usable_python "$candidate"; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    say "No Python 3.11 or later with the modules venv and ensurepip was found."
    say "Install one (on Debian and Ubuntu: apt-get install python3 python3-venv) or set PYTHON."
    return 1
}

# What an installation depends on: if it changes, the package is installed again.
fingerprint() {
    "$venv/bin/python" - "$root" <<'PYTHON'
import hashlib
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
digest = hashlib.sha256(f"{root}\n{sys.version}\n".encode())
for name in ("pyproject.toml", "src/corefine/_version.py"):
    digest.update((root / name).read_bytes())
print(digest.hexdigest())
PYTHON
}

# Whether the environment works here. One that was copied or moved along with the folder still
# points to the old one; one that somebody made without these scripts is taken as it is.
is_environment() {
    "$venv/bin/python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' \
        >/dev/null 2>&1 && { [ ! -f "$venv/.root" ] || [ "$(cat "$venv/.root")" = "$root" ]; }
}

make_environment() {
    local python
    if [ -n "$(ls -A "$venv" 2>/dev/null)" ] && [ ! -f "$venv/pyvenv.cfg" ]; then
        say "$venv is there and is not a virtual environment: it is left as it is."
        exit 1
    fi
    python=$(find_python)
    say "making a virtual environment with $("$python" --version)"
    "$python" -m venv --clear "$venv"
    printf '%s\n' "$root" >"$venv/.root"
}

# install REQUIREMENT…: installs into the environment, with uv if it is there and pip otherwise.
install() {
    if command -v uv >/dev/null; then
        with_retries uv pip install --quiet --python "$venv/bin/python" "$@"
    else
        # pip installs dependency groups from version 25.1 on.
        with_retries "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --upgrade 'pip>=25.1' &&
            with_retries "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
    fi
}

# ensure_installed [GROUP]: installs the package, with a dependency group if one is given, into the
# environment, which it makes if need be, unless a stamp says that it was done.
ensure_installed() {
    local stamp=$venv/.installed-${1:-corefine}
    is_environment || make_environment
    if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$(fingerprint)" ]; then
        say "installing corefine${1:+ and the dependency group $1} (this takes a minute or more)"
        if ! install --editable . ${1:+--group "$1"}; then
            say "corefine could not be installed: see the messages above."
            exit 1
        fi
        fingerprint >"$stamp"
    fi
}
