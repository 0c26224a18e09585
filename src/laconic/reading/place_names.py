"""The names of files that decide what runs later, and of those with secrets: the one list of each.

The gate, the agents' file tools and the box go by them. `*` stands for any part of one name; what
lies in a directory of such a name counts as well.
"""

from __future__ import annotations

from laconic.reading.agent_places import AGENT_HOOKS

# -- what decides which programs run later ---------------------------------------------------------

# Of shells, editors, version control, continuous integration, package managers and agents. What
# an agent is told to do counts as what it runs.
_GUARDED = """
    .ackrc AGENT.md AGENTS.md AGENTS.override.md .aider.conf.yaml .aider.conf.yml .amazonq .amp
    appveyor.yml .appveyor.yml .asdfrc .augment authorized_keys .autoenv .autoenv.leave
    .autoenv.zsh .aws .azure azure-pipelines.yml .bash_aliases .bash_login .bash_logout
    .bash_profile .bashrc .bazelrc bitbucket-pipelines.yml bitrise.yml .build.yml .buildbot
    .buildkite buildspec.yaml buildspec.yml .cargo/config .cargo/config.toml .circleci .cirrus.yml
    CLAUDE.local.md CLAUDE.md .cline .clinerules cloudbuild.yaml cloudbuild.yml codemagic.yaml
    compose.override.yaml compose.override.yml .config/autostart .config/cc-toolgate .config/fish
    .config/gcloud .config/git .config/goose .config/laconic .config/mise .config/mise.toml
    .config/opencode .config/rtk .config/systemd .config/tokf conftest.py .continue .copilot
    crontab .crush crush.json .ctags .ctags.d .curlrc .cursorrules .devcontainer .devcontainer.json
    .dir-locals.el .direnv .docker docker-compose.override.yaml docker-compose.override.yml
    .drone.yml .envrc .exrc .fleet .forgejo/workflows .gdbinit GEMINI.md .git-credentials
    .git-hooks .gitattributes .gitconfig .gitea/workflows .githooks .github/actions
    .github/copilot-instructions.md .github/workflows .gitlab-ci.yaml .gitlab-ci.yml .gitlab/ci
    .gitmodules .gnupg .gocd.yaml .goose .goosehints gradle/wrapper .grok .harness .hg/hgrc .husky
    .idea .inputrc .irbrc Jenkinsfile .jj/repo/config.toml .junie .kilocode .kimi .kiro .kshrc
    .kube .laconic .laconic.toml .lefthook lefthook-local.yml .lefthook-local.yml lefthook.toml
    .lefthook.toml lefthook.yaml .lefthook.yaml lefthook.yml .lefthook.yml Library/LaunchAgents
    lint-staged.config.cjs lint-staged.config.js lint-staged.config.mjs .lintstagedrc
    .lintstagedrc.cjs .lintstagedrc.js .lintstagedrc.json .lintstagedrc.mjs .lintstagedrc.yaml
    .lintstagedrc.yml .lldbinit .local.vimrc .local/share/laconic .local/state/laconic .lvimrc
    .mcp.json .mise .mise.local.toml mise.local.toml .mise.toml mise.toml .miserc.toml
    .mongoshrc.js .mvn .netrc .npmrc .nvim.lua .nvimrc .octaverc .opencode opencode.json
    opencode.jsonc .overcommit.yml .password-store .pdbrc .pnpmfile.cjs .pre-commit-config.yaml
    .profile .prow.yaml .pryrc .psqlrc .pypirc .pythonrc .pythonrc.py QWEN.md .Renviron .ripgreprc
    .roo .Rprofile .rtx.toml .rubocop rust-toolchain rust-toolchain.toml .screenrc
    .screwdriver.yaml .semaphore .simple-git-hooks.cjs simple-git-hooks.cjs .simple-git-hooks.js
    simple-git-hooks.js .simple-git-hooks.json simple-git-hooks.json sitecustomize.py .sqliterc
    .ssh .teamcity .tekton .tmux.conf .tool-versions .trae .travis.yml usercustomize.py
    .vault-token .vimrc .vscode wercker.yml .wgetrc .windsurfrules .woodpecker .woodpecker.yaml
    .woodpecker.yml .xprofile .yarn/plugins .yarn/releases .yarnrc .yarnrc.yml .zed .zencoder
    .zlogin .zlogout .zprofile .zshenv .zshrc .zuul.d .zuul.yaml zuul.yaml
""".split()
# In a box these count at the top of a repository only: packages bring many of them along.
GUARDED_AT_TOP = frozenset(
    """
    .appveyor.yml .aws .azure .buildkite .circleci .docker .drone.yml .gitattributes .gitconfig
    .githooks .gitlab-ci.yml .gitlab/ci .gitmodules .gnupg .husky .kube .lefthook.yaml
    .lefthook.yml .netrc .overcommit.yml .pre-commit-config.yaml .pypirc .ssh .travis.yml
    .woodpecker .woodpecker.yml
    """.split()
)
# Installers and environments fill these, also in a box: what runs from there is the project's code.
_FILLED_BY_TOOLS = """
    node_modules/.bin .venv/bin venv/bin vendor/bin
""".split()
# Any directory of an agent that has hooks or servers, and what an editor opens as a whole.
_GUARDED_SHAPES = ".*/mcp.json .*/hooks.json *.code-workspace".split()
GUARDED_IN_BOX = (*_GUARDED, *AGENT_HOOKS)
GUARDED_NAMES = (*GUARDED_IN_BOX, *_FILLED_BY_TOOLS, *_GUARDED_SHAPES)

# -- secrets ---------------------------------------------------------------------------------------

SECRET_NAMES = """
    .ssh .gnupg .aws .azure .kube .docker .password-store .oci .bluemix .aliyun .databrickscfg
    .vault-token .pgpass .my.cnf .mylogin.cnf .netrc _netrc .authinfo .authinfo.gpg
    .git-credentials .npmrc .pypirc .gem/credentials .bundle/config .cargo/credentials
    .cargo/credentials.toml .nuget/NuGet.Config .m2/settings.xml .m2/settings-security.xml
    .gradle/gradle.properties .ivy2/.credentials .boto .s3cfg .passwd-s3fs .rclone.conf rclone.conf
    .config/rclone .terraformrc .terraform.d/credentials.tfrc.json .htpasswd .smbcredentials
    .fetchmailrc .msmtprc .mbsyncrc .offlineimaprc .irssi .jupyter/jupyter_server_config.json
    .databricks .snowsql .snowflake .kaggle/kaggle.json .huggingface/token .cache/huggingface/token
    .wandb .streamlit/secrets.toml .config/gcloud .config/gh .config/glab-cli .config/hub
    .config/containers .config/doctl .config/hcloud .config/op .config/configstore
    .config/git/credentials .config/sops .config/age .config/netlify .config/heroku .config/flyctl
    .fly/config.yml .config/rclone/rclone.conf .config/helm/registry .config/Bitwarden*
    .config/github-copilot .local/share/keyrings .local/share/com.vercel.cli .local/share/kwalletd
    .local/share/uv/credentials .config/wrangler .wrangler/config .railway .supabase/access-token
    .stripe .config/stripe .config/openai .config/anthropic .config/sentry .sentryclirc
    .pulumi/credentials.json .credentials .env .env.* *.env .envrc .secrets .secret
    .claude/.credentials.json .claude.json .claude.json.* .mcp.json .codex/auth.json
    .gemini/oauth_creds.json .gemini/google_accounts.json .gemini/mcp-oauth-tokens.json
    .gemini/.env .qwen/oauth_creds.json .copilot/config.json .copilot/mcp-config.json
    .cursor/mcp.json .codeium/windsurf/mcp_config.json .windsurf/mcp_config.json .vscode/mcp.json
    .kiro/settings/mcp.json .kimi/credentials .kimi/config.toml .factory/auth.encrypted
    .config/crush/crush.json .local/share/crush .config/goose/secrets.yaml
    .config/goose/config.yaml .aider.conf.yml .continue/config.json .continue/config.yaml
    .config/amp .amp/settings.json .local/share/amp/secrets.json .*/agent/auth.json
    .grok/user-settings.json .vibe/.env .codebuddy/.credentials.json .openhands/settings.json
    .openhands/agent_settings.json .cline/data/secrets.json .roo/mcp.json .*/cli/auth.json
    .docker/config.json cline_mcp_settings.json credentials credentials.json credentials.yml
    credentials.yaml credentials.toml credentials.xml credentials.db credentials.csv
    credentials.ini client_secret*.json client_secrets.json application_default_credentials.json
    service-account*.json service_account*.json serviceaccount*.json secrets.json secrets.yaml
    secrets.yml secrets.toml secrets.env secrets.properties oauth_creds.json .*/auth.json
    .config/*/auth.json .local/share/*/auth.json kubeconfig kubeconfig.* *.kubeconfig id_rsa id_dsa
    id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk id_xmss *_rsa *_ed25519 *_ecdsa ssh_host_*_key
    private_key private.key *.pem *.key *.p12 *.pfx *.p8 *.ppk *.jks *.keystore *.pkcs12 *.kdbx
    *.kdb *.agekey *.keytab *.gpgkey *.ovpn keyring.gpg secring.gpg *.keychain *.keychain-db
    Library/Keychains terraform.tfstate *.tfstate *.tfstate.backup *.tfvars master.key
    wp-config.php .rails_master_key etc/shadow etc/shadow- etc/gshadow etc/gshadow- etc/sudoers
    etc/sudoers.d etc/master.passwd etc/ssl/private etc/krb5.keytab etc/wireguard
    etc/ppp/chap-secrets etc/security/opasswd run/secrets var/run/secrets run/credentials
    run/user/*/keyring proc/*/environ proc/*/task/*/environ .bash_history .zsh_history .zhistory
    .sh_history .ash_history .fish_history .local/share/fish .psql_history .mysql_history
    .sqlite_history .rediscli_history .mongo_history .mongosh .python_history .node_repl_history
    .irb_history .pry_history .dbshell .mozilla .thunderbird .config/google-chrome*
    .config/chromium .config/BraveSoftware .config/microsoft-edge* .config/vivaldi
    .config/Code/User/globalStorage/state.vscdb Library/Cookies Library/Safari
    Library/Application*Support/Google/Chrome Library/Application*Support/Firefox
    Library/Application*Support/BraveSoftware cookies.sqlite logins.json key4.db key3.db
    signons.sqlite .config/laconic .local/state/laconic etc/NetworkManager/system-connections
    etc/ipsec.secrets etc/mysql/debian.cnf etc/openvpn etc/kubernetes etc/rancher etc/letsencrypt
    .pg_service.conf .dev.vars .dev.vars.* local.settings.json key.properties keystore.properties
    .vault_pass* .vault-pass* vault_pass.txt firebase-adminsdk*.json token.json token.pickle
    htpasswd password.txt passwords.txt .edgerc .jfrog .ngrok2 .config/ngrok .cloudflared
    .config/scw .config/linode-cli .config/vultr-cli.yaml .config/argocd .argocd .mc/config.json
    .dbt/profiles.yml .travis .circleci/cli.yml .netlify .config/filezilla .filezilla
    .subversion/auth .config/nix/nix.conf .config/lftp .lftp .config/helm/repositories.yaml .purple
    .config/weechat .remmina .jenkins .config/1Password .config/tailscale .config/kaggle
    .config/gitlab-runner .gitlab-runner .sops.key .anthropic .foundry/keystores .config/wireguard
    .openvpn .config/openvpn .sbt/.credentials .config/NuGet .config/io.datasette.llm
    .config/.wrangler .config/msmtp .muttrc .mutt .config/mutt .config/neomutt .neomuttrc
    .config/isync .config/fish/fish_variables .1password .config/keepassxc .config/scaleway
    .config/fly .config/hashicorp .config/vercel .config/wandb .config/pnpm/rc
    .config/pypoetry/auth.toml .config/pip/pip.conf .pip/pip.conf .config/uv/credentials
    .config/Postman .config/insomnia .config/solana .electrum .bitcoin .ethereum .config/claude
    .lesshst .viminfo .Xauthority .ICEauthority .rhosts .config/azure .azure-devops .config/civo
    .civo.json .exoscale .config/exoscale .config/upctl .ovh.conf .acme.sh .config/letsencrypt
    .config/restic .config/borg .config/rustic .b2_account_info .config/b2 .config/databricks
    .clickhouse-client .config/usql .usqlpass .mycli.enc .mongorc.js .config/influx .influxdbv2
    .config/grafana .config/pulumi .config/buildkite .buildkite-agent .config/doppler .doppler
    .config/infisical .infisical .akeyless .config/bws .config/gopass .local/share/gopass
    .local/share/password-store .passage .config/passage .local/share/rbw .cache/rbw .lpass
    .config/lpass .local/share/lpass .config/aichat .config/shell_gpt .config/mods
    .config/replicate .modal.toml .runpod .vast_api_key .comet.config .clearml.conf clearml.conf
    .dvc/config.local .config/irssi .config/hexchat .config/toot .twurlrc .sbt/credentials
    .lein/credentials.clj .lein/profiles.clj .lein/credentials.clj.gpg .gitcookies .config/lab
    .config/tea .config/forgejo-cli .arcrc .config/.jira .jira.d .config/jira-cli .config/atlascli
    .config/todoist .wakatime.cfg .config/aerc .config/himalaya .getmail .config/getmail
    .config/offlineimap .davmail.properties .vdirsyncer .config/vdirsyncer .vnc .config/remmina
    .local/share/remmina .config/freerdp .appstoreconnect .private_keys .twilio-cli .config/twilio
    .consul-token .nomad-token .config/consul .step/secrets .config/step .near-credentials .aptos
    .sui .starknet_accounts .monero .config/protonvpn .mullvad .appwrite .kamal/secrets
    .kamal/secrets.* .ansible_vault_pass .ansible/vault_pass .hcp .config/hcp .config/sendgrid
    .config/mailgun .config/deno/credentials.json .config/turso .config/planetscale .config/neonctl
    .config/prisma .config/render .config/koyeb .koyeb.yaml .config/northflank .config/gh-copilot
    .config/acli
""".split()
# What else a command in the box cannot read: below the home, or of the machine with a slash before
# it. Personal data, and what has a harmless namesake in a project.
PRIVATE_NAMES = """
    .age .android/adbkey .fly .terraform.d .config/helm .supabase .expo .huggingface .kaggle
    .yarnrc .yarnrc.yml .nuget/NuGet .composer/auth.json .config/composer/auth.json .hex id_rsa*
    id_ed25519* id_ecdsa* .config/Cursor .config/goose .local/share/opencode .amp .local/share/amp
    .kimi .roo .continue .codeium .windsurf .config/Windsurf .config/Code .config/VSCodium .vscode
    .vscode-server .config/zed .local/share/zed .config/JetBrains .local/share/JetBrains
    .config/opera .var/app .config/Signal .config/Slack .config/discord
    .local/share/TelegramDesktop .local/share/laconic .cache/laconic /etc/ssh /etc/docker /etc/ppp
    /var/spool/cron /var/lib/docker /var/lib/containerd /var/lib/kubelet /root/.ssh /root/.aws
    /root/.gnupg .bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin
    .config/environment.d .config/fish/config.fish snap/firefox snap/chromium snap/thunderbird
    .chef .brownie .weechat .cisco .lego .restic .mc
""".split()
