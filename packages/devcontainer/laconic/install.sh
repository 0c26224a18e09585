#!/bin/sh
# Runs as root while the image is built; the options are in PACKAGE, AGENTS and PROFILE.
set -eu

case "${AGENTS:-}${PROFILE:-}" in
    *[!a-z\ -]*) echo "laconic: names of agents and profiles have small letters only" >&2 && exit 1 ;;
esac

here=$(dirname "$0")
package=${PACKAGE:-}
if [ -z "$package" ]; then
    for package in "$here"/laconic-*.whl; do [ -e "$package" ] || package=; done
fi
if [ -z "$package" ]; then
    echo "laconic: there is no wheel beside install.sh: name one by the option package" >&2
    exit 1
fi

if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
    if ! command -v apt-get > /dev/null; then
        echo "laconic: it needs Python 3.11 or newer, with venv and pip" >&2
        exit 1
    fi
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends python3-venv
    rm -rf /var/lib/apt/lists/*
fi

python3 -m venv /usr/local/share/laconic/venv
/usr/local/share/laconic/venv/bin/pip install --no-cache-dir --quiet "$package"
ln -sf /usr/local/share/laconic/venv/bin/laconic /usr/local/bin/laconic

# The agents' settings are in the home of the user, which is there when the container is created.
cat > /usr/local/share/laconic/install-agents << END
#!/bin/sh
set -eu
if [ -n '${AGENTS:-}' ]; then
    laconic install ${AGENTS:-} --global --profile '${PROFILE:-default}' --yes
else
    laconic install --detect --profile '${PROFILE:-default}' --yes || echo "later: laconic install AGENT"
fi
laconic doctor
END
chmod 755 /usr/local/share/laconic/install-agents
laconic --version
