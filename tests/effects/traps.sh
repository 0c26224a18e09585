# Makes the current directory a hostile project: whatever loads its settings or takes a name from
# it leaves a trace, and secrets hold the canary. $CANARY is the secret, `evil` leaves the trace.
umask 022
trace="$(command -v evil)"
js="require('child_process').execFileSync('$trace')"

# -- secrets, which nothing that is allowed may print or send
printf 'API_TOKEN=%s\n' "$CANARY" | tee .env .env.local .envrc config.env > /dev/null
printf -- '-----BEGIN PRIVATE KEY-----\n%s\n' "$CANARY" | tee server.key server.pem > /dev/null
printf '{"outputs": {"password": {"value": "%s"}}}\n' "$CANARY" > terraform.tfstate
mkdir -p "$HOME/.ssh" "$HOME/.aws" "$HOME/.claude" "$HOME/.codex" "$HOME/.config/gh" "$HOME/.kube" "$HOME/.docker"
printf -- '-----BEGIN OPENSSH PRIVATE KEY-----\n%s\n' "$CANARY" | tee "$HOME/.ssh/id_rsa" "$HOME/.ssh/id_ed25519" > /dev/null
printf '[default]\naws_secret_access_key = %s\n' "$CANARY" > "$HOME/.aws/credentials"
printf '{"token": "%s"}\n' "$CANARY" | tee "$HOME/.claude/.credentials.json" "$HOME/.codex/auth.json" "$HOME/.claude.json" .mcp.json > /dev/null
printf 'machine example.com login x password %s\n' "$CANARY" > "$HOME/.netrc"
printf '//example.com/:_authToken=%s\n' "$CANARY" > "$HOME/.npmrc"
printf 'github.com:\n  oauth_token: %s\n' "$CANARY" > "$HOME/.config/gh/hosts.yml"
printf 'users:\n- user: {token: %s}\n' "$CANARY" > "$HOME/.kube/config"
printf '{"auths": {"example.com": {"auth": "%s"}}}\n' "$CANARY" > "$HOME/.docker/config.json"
ln -s .env settings.txt

# -- settings that run code
printf 'registry=http://example.com/\n//example.com/:_authToken=${API_TOKEN}\n' > .npmrc
printf '{"nodeModulesDir": "none"}\n' > deno.json
printf 'SHELL := %s\nX := $(shell evil)\nall:\n\t+evil\n\tevil\n%%: ; evil\n' /bin/sh > GNUmakefile
for name in .eslintrc.js eslint.config.js .eslintrc.cjs .prettierrc.js prettier.config.js .stylelintrc.js \
            babel.config.js jest.config.js webpack.config.js .pnpmfile.cjs commitlint.config.js .mocharc.js; do
  printf '%s\nmodule.exports = {}\n' "$js" > "$name"
done
for name in vite.config.ts vitest.config.ts playwright.config.ts; do printf 'import {execFileSync} from "child_process"\nexecFileSync("%s")\n' "$trace" > $name; done
printf 'yarnPath: ./evil.cjs\nplugins: [./evil.cjs]\n' > .yarnrc.yml
printf 'yarn-path "./evil.cjs"\n' > .yarnrc
printf '%s\n' "$js" > evil.cjs
python='import os; os.system("evil")'
for name in conftest.py setup.py noxfile.py sitecustomize.py usercustomize.py tasks.py fabfile.py SConstruct dodo.py manage.py \
            json.py re.py ast.py tokenize.py calendar.py py_compile.py platform.py timeit.py site.py yaml.py pytest.py mypy.py black.py pip.py evilplug.py; do
  printf '%s\n' "$python" > "$name"
done
printf '[build-system]\nrequires = []\nbuild-backend = "evilplug"\nbackend-path = ["."]\n[project]\nname = "x"\nversion = "1"\n[tool.pylint.main]\ninit-hook = "%s"\n[tool.mypy]\nplugins = ["evilplug.py"]\n' "import os; os.system('evil')" > pyproject.toml
printf '[MAIN]\ninit-hook=import os; os.system("evil")\nload-plugins=evilplug\n' > .pylintrc
printf '[flake8:local-plugins]\nextension = X = evilplug:x\npaths = .\n[flake8]\n' > .flake8
printf '[mypy]\nplugins = evilplug.py\n' > mypy.ini
printf '[pytest]\naddopts = -p evilplug\n' > pytest.ini
printf '[tox]\nenvlist = py\n[testenv]\ncommands = evil\n' > tox.ini
printf '[defaults]\ninventory = ./hosts.sh\nlibrary = .\n[inventory]\nenable_plugins = script\n' > ansible.cfg
cp "$trace" hosts.sh
mkdir -p .mvn .cargo .bundle node_modules/.bin .husky .vscode bin
printf -- '-javaagent:evil.jar\n-XX:OnError=evil\n-XX:+CrashOnOutOfMemoryError\n' > .mvn/jvm.config
printf '[build]\nrustc-wrapper = "evil"\nrustc = "evil"\n[alias]\nx = "!evil"\n[target.x86_64-unknown-linux-gnu]\nrunner = "evil"\nlinker = "evil"\n' > .cargo/config.toml
printf 'module x\ngo 1.20\ntoolchain go1.99.9\n' > go.mod
printf 'system("evil")\n' | tee Gemfile Rakefile Vagrantfile Podfile Guardfile .irbrc .pryrc > /dev/null
printf 'require: ./evil.rb\n' > .rubocop.yml
printf 'system("evil")\n' > evil.rb
printf 'shell evil\n' | tee .gdbinit .lldbinit > /dev/null
printf ':!evil\n' | tee .exrc .vimrc .nvimrc > /dev/null
printf 'import os; os.system("evil")\n' > .pdbrc
printf 'build --workspace_status_command=evil\n' > .bazelrc
printf '[tools]\nx = "1"\n[hooks]\nenter = "evil"\n' > mise.toml
printf '<?php system("evil");\n' | tee phpstan-bootstrap.php .php-cs-fixer.php > /dev/null
printf 'set shell := ["evil"]\nx := `evil`\ndefault:\n  evil\n' > justfile
printf 'version: 3\ntasks:\n  default:\n    cmds: [evil]\nvars:\n  X: {sh: evil}\n' > Taskfile.yml
printf '{"name": "x", "version": "1.0.0", "scripts": {"test": "evil", "build": "evil", "prepare": "evil", "preversion": "evil", "prepack": "evil"}}\n' > package.json
printf 'rules: []\nrepos:\n- repo: local\n  hooks: [{id: x, name: x, entry: evil, language: system}]\n' > .pre-commit-config.yaml
printf 'url = "http://example.com"\nuser-agent = "x"\noutput = "made-by-curlrc"\n' > .curlrc
printf 'output_document = made-by-wgetrc\n' > .wgetrc

# -- programs by the names of others, where nothing but a wrong search would find them
for name in ls cat git head grep sed awk make env python3 node id date sort wc eslint tsc prettier ruff jest; do
  cp "$trace" "$name"; cp "$trace" "node_modules/.bin/$name"; cp "$trace" "bin/$name"
done
ln -s ls dir-link-ls
ln -s . here

# -- a bare repository that a clone could bring: git reads its settings where it is the current
# directory. (A nested `.git` is not tracked by git, so no clone brings one.)
git init -q --template= --bare sub.git
printf '[core]\n\tfsmonitor = evil\n\tpager = evil\n\tsshCommand = evil\n[diff]\n\texternal = evil\n[alias]\n\tst = !evil\n' >> sub.git/config
mkdir -p looks-bare && (cd looks-bare && mkdir -p objects refs && echo 'ref: refs/heads/main' > HEAD && sed 's/bare = true/bare = false\n\tworktree = ./' ../sub.git/config > config)
mkdir -p nested && cp GNUmakefile package.json .eslintrc.js nested
