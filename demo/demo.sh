#!/usr/bin/env bash
# Show laconic at work on real commands, in a home and a project of its own.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch/home"
unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME "${!LACONIC_@}"
mkdir -p "$HOME/.config/laconic" "$scratch/project/.laconic"
cd "$scratch/project"

cat > "$HOME/.config/laconic/config.toml" <<'TOML'
[commands]
remove_ask = ["make"]
allow = ["make"]
TOML
cat > .laconic/config.toml <<'TOML'
[commands]
deny = ["terraform"]
allow = ["curl"]
TOML

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi

# Print a headline and a command line, run it, and go on whatever it says.
show() {
    printf '\n%s# %s%s\n$ %s\n' "$bold" "$1" "$plain" "$2"
    bash -c "$2" 2>&1 || true
}

show "one parse, with the bytes of every command in it" "laconic parse 'git log --oneline | head -5 && echo \"\$(date)\"'"
show "also where programs that split at blanks do not look" "laconic parse 'x=\$(rm -rf build) ls'"
show "what cannot be parsed is never guessed" "laconic parse 'echo \"never closed'"
show "a project may be stricter at once, the rest waits for your trust" "laconic config check"
show "terraform is denied already, by the project" "laconic config show --sources 2>/dev/null | grep -e terraform -e '\"make\"'"
show "trust pins the files as they are" "laconic trust; laconic trust --list"
show "a change ends the trust" "echo '# more' >> .laconic/config.toml; laconic trust --list"
show "mistakes are named" "printf '[comands]\nalow = [1]\n' > wrong.toml; laconic config check wrong.toml"
