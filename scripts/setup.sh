# Sourced by scripts/demo and scripts/test: a virtual environment with Winze in it, in $venv.
# Re-used while pyproject.toml is unchanged. Arguments of set_up: what pip installs besides.

root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/.venv
cd "$root" || exit 1

as_root() {
    [ "$(id -u)" = 0 ]
}

find_python() {
    for python in python3.11 python3.12 python3.13 python3; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    echo "Winze needs Python 3.11 or newer" >&2
    exit 1
}

make_venv() {
    python=$(find_python) || exit 1
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        if as_root; then
            apt-get -q update >/dev/null && apt-get -qy install python3-venv >/dev/null || exit 1
        else
            echo "python3-venv is missing: run 'sudo apt-get install python3-venv' and try again" >&2
            exit 1
        fi
    fi
    rm -rf "$venv"
    "$python" -m venv "$venv" || exit 1
}

# set_up NAME PIP_ARGUMENT...: install once for each pyproject.toml and name.
set_up() {
    stamp=$venv/.installed-$1
    shift
    [ -x "$venv/bin/python" ] || make_venv
    sum=$(cksum <pyproject.toml)
    if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$sum" ]; then
        echo "Installing Winze into $venv ..." >&2
        "$venv/bin/python" -m pip install -q --disable-pip-version-check "$@" || exit 1
        echo "$sum" >"$stamp"
    fi
}
