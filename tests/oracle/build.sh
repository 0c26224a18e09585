#!/bin/sh
# Builds the instrumented bash that prints what its parser saw, from the distribution's source.
# usage: build.sh [DIRECTORY]   leaves DIRECTORY/oracle-bash (nothing to do if it is up to date)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/laconic-oracle}
stamp=$(cat "$here/build.sh" "$here/instrument.py" "$here/hooks.c" | cksum)

if [ -x "$cache/oracle-bash" ] && [ "$(cat "$cache/stamp" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi
for tool in apt-get dpkg-source gcc make python3; do
    command -v "$tool" >/dev/null || { echo "oracle: $tool is needed to build it" >&2; exit 1; }
done
mkdir -p "$cache"
cd "$cache"

# A private apt state, so that neither root nor a change of the machine's sources is needed.
# The sources of bash come from where the machine's own packages come from.
fetch() {
    mkdir -p apt/sources apt/lists/partial apt/cache
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"apt/sources/$(basename "$file")"
    done
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^deb /deb-src /p' >apt/sources/machine.list
    set -- -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$cache/apt/sources" \
        -o Dir::State::lists="$cache/apt/lists" -o Dir::Cache="$cache/apt/cache" \
        -o APT::Sandbox::User=
    apt-get "$@" update
    apt-get "$@" --download-only source bash
}

ls bash_*.dsc >/dev/null 2>&1 || fetch
rm -rf source build
dpkg-source -x --no-check "$(ls -t bash_*.dsc | head -n 1)" source >dpkg.log 2>&1
python3 "$here/instrument.py" source
mkdir build
cd build
if ! {
    ../source/configure --without-bash-malloc --disable-nls --disable-readline \
        --disable-history --disable-net-redirections CFLAGS='-O1 -w' &&
        make -j2 bash
} >../build.log 2>&1; then
    tail -20 ../build.log >&2
    exit 1
fi
cp bash ../oracle-bash
cd ..
rm -rf source build
echo "$stamp" >stamp
