"""The Azure command line: groups, a verb, then options; reads are known by their verb.

Unsafe: every verb that is not known to read (`acr check-health` pulls an image, `aks check-acr`
starts a pod); a word before it that is not a known group, because it may be the verb; reads
that print keys, passwords, tokens or connection strings; `--open`, which starts a browser; `az
rest`, which sends the login's token to any address. All but a few commands take no operands: words
behind an option are its values.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from laconic.patterns import pattern
from laconic.reading.commands.cloud import judge_parameters, skip_options
from laconic.types import Effect, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument
    from laconic.reading.call import Call

_READS = pattern(
    r"""list | list-[a-z0-9-]+ | show | show-[a-z0-9-]+ | exists | query | logs | tail | version
    | summarize | what-if | peek | test-ip-flow | url
    | check-(?:name | name-availability | availability | ip-address)
    | get-(?:instance-view | upgrades | upgrade-profile | versions | boot-log | model | os-options
      | statistics | member-groups | schema)""",
    re.VERBOSE,
)
_REVEALS = pattern(
    r".*(?:keys?|connection-strings?|credentials?|publishing-profiles|passwords?|tokens?|secrets?)"
)
_SECRET_GROUPS = pattern(
    r"(?:[a-z0-9-]+-)?keys|[a-z0-9-]+-key|credentials?|connection-string|secrets|tokens?|appsettings"
)
_READING_PATHS = frozenset(
    (
        "ad group member check",
        "config get",
        "deployment group validate",
        "deployment mg validate",
        "deployment sub validate",
        "deployment tenant validate",
        "group export",
        "sql db show-connection-string",
    )
)
# These have operands, which may look like verbs: `az acr build show` builds the directory `show`.
_WITH_OPERANDS = ("acr build ", "acr pack build ", "acr run ", "config set ", "config unset ")
_LISTS_SETTINGS = {
    "devops configure": frozenset(("--list", "-l")),
    "configure": frozenset(("--list-defaults", "-l")),
}
_GLOBAL_VALUES = frozenset(("--subscription", "--query", "--output", "-o"))
_GLOBAL_FLAGS = frozenset(("--debug", "--verbose", "--only-show-errors"))
_NAMES_SERVER = pattern(r"--(?:[a-z]+-)*endpoint|--connection-string")
# https://learn.microsoft.com/azure/storage/common/storage-account-overview#storage-account-endpoints
_OF_AZURE = pattern(
    r"(?:https://)?[\w.-]+\.(?:windows\.net|azure\.(?:com|net|us|cn)|azconfig\.io)(?:[:/].*)?"
)
_REFUSED = frozenset(
    ("--open", "--show-values", "--show-secrets", "--output-file", "--file-path", "--sdk-auth")
)


def judge(call: Call) -> None:
    at = skip_options(call.arguments, 0, _GLOBAL_VALUES, _GLOBAL_FLAGS)
    words: list[str] = []
    while at < len(call.arguments) and not call.arguments[at].leading.startswith("-"):
        word = call.arguments[at]
        if word.text is None or word.glob:
            call.does(Effect.UNCLEAR, Kind.DYNAMIC, "a word of the command is not known", word)
            return
        words.append(word.text)
        at += 1
    rest = call.arguments[at:]
    texts = [argument.text for argument in rest]
    if texts in (["--help"], ["-h"]) or (not words and texts in (["--version"], ["-v"])):
        return
    if words[:1] != ["find"]:
        _judge_words(call, words, rest)
    judge_parameters(call, rest, _REFUSED)
    for option, value in zip_longest(rest, rest[1:]):
        name, equals, given = option.leading.partition("=")
        address = given if equals or value is None else value.leading
        if _NAMES_SERVER.fullmatch(name) and not _OF_AZURE.fullmatch(address):
            why = "sends the login's token to a server that is told here"
            call.does(Effect.SENDS, "server", why, option)


def _judge_words(call: Call, words: list[str], rest: list[Argument]) -> None:
    path = " ".join(words[:2] if words[:2] == ["config", "get"] else words)  # it has an operand
    options = {argument.text for argument in rest}
    if path in _READING_PATHS or (options and options <= _LISTS_SETTINGS.get(path, frozenset())):
        return
    is_read = bool(words) and _GROUPS.issuperset(words[:-1]) and _READS.fullmatch(words[-1])
    if not is_read or path.startswith(_WITH_OPERANDS):
        call.unlisted(Kind.VERB, f"az {path} may change something")
    elif _reveals(words):
        call.does(Effect.SECRETS, Kind.SECRET, f"az {path} prints credentials")


def _reveals(words: list[str]) -> bool:
    verb, group = words[-1], words[-2] if len(words) > 1 else ""
    if words[0] == "keyvault":
        return group == "secret" and verb == "show"
    return bool(
        _REVEALS.fullmatch(verb) or _SECRET_GROUPS.fullmatch(group) or group in ("key", "secret")
    )


# From the commands of azure-cli 2.91 and of its common extensions.
_GROUPS = frozenset(
    """
    a aaaa aad access access-policy access-policy-assignment access-restriction account
    account-filter acr action-group activity-log activity-run ad ad-admin ad-only-auth
    adaptive-application-controls adaptive_network_hardenings address address-pool
    address-prefix-set admin admin-key advanced-platform-metric advanced-threat-protection-setting
    advisor afd ag-listener agent agentpool agreement akamai aks alert alerts-management
    alerts-suppression-rule alias allowed_connections always-ready ams api api-collection api-key
    apim app app-insights appconfig apple application application-gateway application-group
    application-type approuting appservice appsettings arcdata area arm-template aro artifact
    artifact-source artifact-streaming artifacts ase asg assessment assessment-metadata asset
    asset-filter asset-track assignment association atp attached-database-configuration attestation
    audit-policy auth auth-cert authentication-as-arm authorization authorization-rule authsetting
    auto-provisioning-setting automation automation-action-event-hub automation-action-logic-app
    automation-action-workspace automation-rule automation-rule-set automation-scope
    automation-source autonomous-tuning autoscale autostorage-keys availability-set azure-monitor
    azure-monitor-agent azuredevopsorg backend backends backup backup-policy backup-properties
    backup-vault balance bandwidth-schedule baseline batch batch-deployment batch-endpoint batchai
    bicep billing billing-benefits billing-permission blob blob-inventory-policy
    blob-service-properties boards boot-diagnostics bot bucket budget build builder caa cache
    capacity cassandra catalog categories cdn central certificate channel classification
    client-cert client-certificate cloud cluster cname cognitiveservices collection command
    commitment-plan commitment-tier communication component compose compute compute-fleet
    compute-recommender condition config configuration confluent conn-policy connected-registry
    connectedk8s connection connection-monitor connection-string consumer-group consumption contact
    container container-group-profile container-rm containerapp content-key-policy content-trust
    continuous coordinator correlation-scheme cors cors-rule cosmosdb cost costmanagement
    credential credential-set credentials cross-region-lb current custom-certificate custom-domain
    custom-image custom-ip custom-rule customer customizer customlocation dapr dapr-component
    dashboard data data-boundary data-collection data-connection data-export data-flow database
    database-principal-assignment databoxedge databricks datacenter datafactory dataprotection
    dataset datastore db ddos-custom-policy ddos-protection default definition deleted
    deleted-server deleted-vault deletedservice deny-assignment deployment deployment-scripts
    desktopvirtualization destination detail dev devcenter device devops diagnostic-settings
    diagnostics dimension directline directory discovered-security-solution disk disk-access
    disk-encryption-set dls dms dnc dns dns-alias dns-zone-group dnssec-config domain dps ds dtc
    durability dw dynatrace ekm-connection elastic-pool elastic-san email encryption
    encryption-scope endpoint endpoint-cert enrollment enrollment-account enterprise-edge entities
    entity env environment error-handler event event-channel event-grid event-hub
    event-subscription eventgrid eventhub eventhubs exception exclusion execution exemption
    experiment export-policy express-route extension extension-topic external-security-solution
    fabric-mirroring fabric-shortcut facebook failover-group feature federated-credential file
    file-server file-service-properties files fileservice filter firewall firewall-rule
    firewall-rules first-party-service-tag fleet fleetspace flex-migration flexible-server flow-log
    fluid-relay flux folder formula front-door frontend-ip frontend-port fs function functionapp
    functions gallery-application gallery-image gateway geo-backup georecovery-alias github
    github-action github-actions githubowner gitlabgroup google grafana graph graphql gremlin group
    gtid guestconfig hard-link hdinsight health helm hierarchy-settings hns-migration host hostname
    hostpool hpc-cache http-listener http-route-config http-settings hub hybrid-connection hyco
    identity identity-binding image image-definition image-version immutability-policy
    import-export in-vm-access-control-profile in-vm-access-control-profile-version
    inbound-nat-pool inbound-nat-rule inbound-security-rule incremental-copy ingress install-script
    instance instance-failover-group instance-pool instruction integration-runtime
    integration-runtime-node internet-analyzer invoice invoice-section iot iot-alerts iot-analytics
    iot-hub iot-recommendations iot-solution ip-config ip-rule ipsec-policy ipv6-config
    ipv6-firewall-rule issue issuer istio item iteration jit-policy job job-schedule
    k8s-configuration k8s-extension key keys keyspace keyvault kik kql-script kusto kusto-operation
    kv lab label latest-backup-status latest-restore-status lb lease ledger-digest-uploads
    legal-hold lifecycle-hook lifecycle-hook-event link link-connection linked-hub linked-service
    linked-storage listener live-event live-output load-metrics local-gateway local-user location
    locations lock log log-analytics log-profiles log-replay logging logicapp logs ltr-backup
    ltr-policy machine maintenance maintenance-assignment maintenance-event
    maintenanceconfiguration managed managed-application managed-application-type managed-cassandra
    managed-cluster managed-compute-deployment managed-grafana managed-identity managed-instance
    managed-network managed-node-type managed-private-endpoints managed-rule managed-service
    managedapp managedservices management-group management-policy manifest map maps mariadb
    marketplace match-condition member mesh message message-enrichment metadata metrics
    metrics-container mg mi microsoft microsoft-entra-admin midb migration mirroring ml
    mobile-network model mongodb monitor monitor-control-service mru ms-support msteams mx mysql
    namespace naptr nat nat-rule netappfiles network network-manager network-profile network-rule
    network-rule-set network-security-perimeter-configuration network-security-rule network-watcher
    nginx nic node node-counts node-type nodepool non-compliance-message notebook notification-hub
    ns nsg nsp-configuration nv offering oidc-issuer online-deployment online-endpoint op
    openid-connect operation optimizer option or-policy orbital order outbound-firewall-rule
    outbound-rule output owner pack package packet-capture param-persist parameter partner
    partner-cert partnercenter patch-schedule peer-connection peering pending period permission
    permissions pipeline pipeline-run pipelines plan policy policy-definition policy-insights
    policy-setting pool pool-principal-assignment port postgres ppg pr predefined prefix
    premium-ingress prep-release-status preview-configuration pricesheet pricing private-dns
    private-endpoint private-endpoint-connection private-link private-link-resource
    private-link-scope private-link-service probe product profile project
    project-allowed-environment-type property protectable-item protection provider providerhub ptr
    public-ip purview query query-key query-pack queue quota quota-configuration quota-limit
    quota-rule quotas ransomware-report recommendation record-set recoverable-midb recoveryconfig
    recoverypoint redirect-config redis region region-info registration registry registry-adapter
    regulatory-compliance-assessments regulatory-compliance-controls
    regulatory-compliance-standards relay reliability remediation remote-login-settings replica
    replication repo repos repository reservation reservations resolver resource
    resource-guard-mapping resource-mover resourcemanagement restorable-collection
    restorable-container restorable-database restorable-database-account restorable-graph
    restorable-resource restorable-table restore-point results retention revision revoked-cert
    rewrite-rule role role-assignment role-definition rolebinding rolling-upgrade root-cert
    rotation-policy route route-filter route-table routeserver routing-endpoint routing-rule rule
    rule-set run run-command runs runtime safeguards saved-search scan-operation-result scans
    scheduled-query scheduling schema schema-registry scope scope-map scoped-resource script-action
    scvmm search search-job secret secrets section secure-build secure-score-control-definitions
    secure-score-controls secure-scores security security-connector security-domain
    security-partner-provider security-solutions security-solutions-reference-data self-hosted
    sentinel server server-configuration-option server-link server-logs service service-endpoint
    service-logs service-properties servicebus session set-definition setting settings sf share
    share-rm shared-key shared-private-link-resource shared-query short-term-retention-policy sig
    signalr signed-in-user site sitecontainers sku skype slack sli slot sms snapshot soa
    soft-delete source source-scan-configuration sp spark spark-job-definition spring spring-cloud
    sql sql-script srv ssh sshkey ssl ssl-cert ssl-policy ssl-profile stack stack-whatif
    start-stop-schedule startup state statement staticwebapp stg sticky-sessions storage
    storage-account storage-account-credential storage-mount storagesync stored-procedure
    str-policy stream-analytics streaming-endpoint streaming-locator streaming-policy sub
    sub-assessment subnet subscription subscription-definition subtask subvolume summary support
    supported-images symbolic-link synapse system-topic table tag task task-counts taskrun tde
    tde-key team telegram tenant tenant-backfill term terms test-configuration test-group
    test-notifications threat-policy throughput tickets timer timeseriesinsights tlsa token topic
    topic-type topology traffic traffic-manager traffic-routing transaction transfer transform
    trigger trigger-run triggered troubleshoot troubleshooting trusted-provider trustedaccess ts
    tunnel-interface twitter txt universal unmanaged-disk update-strategy upgrade-preference
    upgrade-type upstream url-path-map usage usage-metrics user user-defined-function users va
    validator variable variable-group vault verified-partner version versioning versionset
    virtual-appliance virtual-cluster virtual-endpoint virtual-network-appliance
    virtual-network-rule vm vm-extension vm-secret vmss vmware vnet vnet-gateway vnet-integration
    vnet-rule volume volume-group vpn-client vpn-connection waf-config waf-policy watcher wcfrelay
    web-test webapp webchat webhook webjob webpubsub wiki work-item workload-profile workspace
    workspace-package workspace-setting zone zones
    """.split()
)
