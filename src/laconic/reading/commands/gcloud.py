"""The Google Cloud command line: groups, a verb, then names and options.

Unsafe: every verb that is not known to read; a word before the verb that is not a known group (it
may be a verb of its own, with our verb for a name); `--flags-file`, which brings more options;
options that write a file. `get-credentials`, `print-access-token` and the like are not known to
read.
"""

from __future__ import annotations

import re

from laconic.patterns import pattern
from laconic.reading.commands.cloud import judge_parameters, skip_options
from laconic.types import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument
    from laconic.reading.call import Call

_READS = pattern(
    r"""list | list-[a-z-]+ | describe | describe-[a-z-]+ | lookup | search | search-[a-z-]+ | read
    | tail | log | stream-logs | tail-serial-port-output | ls | cat | du | hash | status
    | query-status | show-effective-config
    | get | get-(?:value | iam-policy | ancestors | ancestors-iam-policy | server-config | status
      | health | diagnostics | operation | operational-status | named-ports | host-project | history
      | effective | effective-[a-z-]+ | nat-[a-z-]+ | guest-attributes | serial-port-output
      | shielded-identity | upgrade-info | default-service-account | locations | parent | project
      | latest-recovery-time | async-replication-status | route-policy | membership-graph
      | supported-languages)""",
    re.VERBOSE,
)
_PLAIN = frozenset(("help", "version", "info", "topic", "cheat-sheet"))
_TRACKS = frozenset(("alpha", "beta", "preview"))
_GLOBAL_VALUES = frozenset(
    """
    --project --account --format --configuration --verbosity --billing-project --flatten
    --impersonate-service-account --trace-token --region --zone --location
    """.split()
)
_GLOBAL_FLAGS = frozenset(("--quiet", "-q", "--no-log-http", "--user-output-enabled"))
_REFUSED = frozenset(
    """
    --flags-file --access-token-file --output-file --out-file --destination --rbac-output-file
    --output-path --log-http
    """.split()
)


def judge(call: Call) -> None:
    words, rest = _words(call.arguments)
    if [argument.text for argument in rest] in (["--help"], ["-h"]):
        return
    is_read = len(words) > 1 and _READS.fullmatch(words[-1])
    if not is_read and not (len(words) == 1 and words[0] in _PLAIN):
        call.unlisted(Kind.VERB, f"gcloud {' '.join(words)} may change something")
    judge_parameters(call, rest, _REFUSED)


def _words(arguments: list[Argument]) -> tuple[list[str], list[Argument]]:
    """The words up to the first that is not a group, and what follows them."""
    at = 0
    words: list[str] = []
    while not words or _is_group(words):
        at = skip_options(arguments, at, _GLOBAL_VALUES, _GLOBAL_FLAGS)
        text = arguments[at].text if at < len(arguments) and arguments[at].is_static else None
        if text is None or text.startswith("-"):
            break
        at += 1
        if words or text not in _TRACKS:
            words.append(text)
    return words, arguments[at:]


def _is_group(words: list[str]) -> bool:
    """Whether the last of these words leads to more commands, and is not a verb elsewhere."""
    word = words[-1]
    if word in ("run", "deploy"):
        return len(words) == 1
    if word == "test":
        return words == ["firebase", "test"]
    return word in _GROUPS and words != ["docker"]


# Every group that leads to a command that reads, without the names that are verbs elsewhere.
_GROUPS = frozenset(
    """
    accelerator-types accelerators access-approval access-context-manager account-connectors
    accounts acls actions activationkeys active-directories active-directory address-groups
    addresses adjuster admin-clusters advertised-routes agent agent-pools ai ai-platform alloydb
    android anthos anywhere-caches api-configs api-gateway api-keys apigee apis app app-profiles
    apphub appliances applications archives artifacts aspect-types asset assets
    associated-projects associations assured attached attachments attestations attestors
    attributes audit-logs-provider audit-manager auth authorization-policies authorized-orgs
    authorized-views authz-extensions authz-policies autokey-config automation-runs automations
    autonomous-database-backups autonomous-database-character-sets autonomous-databases
    autonomous-db-versions autoscaling-policies aws azure backend-authentication-configs
    backend-buckets backend-services backup-channels backup-collections backup-dr
    backup-plan-associations backup-plan-bindings backup-plan-revisions backup-plans
    backup-policies backup-restore backup-schedules backup-vaults backups bare-metal batch
    batch-operations batches beyondcorp bigtable billing billing-metadata binauthz bindings
    bitbucketserver blockchain-node-engine blockchain-validator blockchain-validator-configs
    blocks bms bq bqexports buckets budgets builds categories certificate-manager certificates
    changes channel-connections channel-descriptors channels client-certs client-connector
    client-tls-policies clients cloud-bindings cloud-exadata-infrastructures cloud-locations
    cloud-vm-clusters cloudlocationfinder cloudrun clusters clusterupgrade cmek-config
    code-repository-indexes code-tools-settings colab commitments components composer composite
    compute conditions config config-management configs configurations connect-clusters
    connection-profiles connections connectivity-tests connectors consent-stores consumer-groups
    container content contents continuous-validation controller conversion-workspaces
    crawler-runs crawlers credentials cross-site-networks custom-intercept custom-jobs
    custom-mirroring custom-modules custom-target-types dags dashboards data
    data-attribute-bindings data-catalog data-fusion data-sharing-with-google-settings
    data-sources data-taxonomies database-migration databases dataflow datapipelines
    dataplane-v2-encryption dataplex dataproc datascans dataset-configs datasets datastore
    datastream db-nodes db-servers db-system-shapes ddl delivery-pipelines deploy-policies
    deployment-manager deployments dest-groups details developer-connect developers dialogflow
    dicom-stores discovered-services discovered-workloads disk-settings disk-types disks dlp dns
    dns-authorizations dns-bind-permission dns-forwarding dns-keys docker domain-mappings
    domains dry-run edge-cache edge-cloud ekm-config ekm-connections encryption-config
    endpoint-policies endpoints enrollments enterprise-config entitlements entity-types entries
    entry-groups entry-links entry-types environments essential-contacts etd event-types
    eventarc execution-groups executions external-access-rules external-addresses
    external-vpn-gateways features federations feeds fhir-stores fields files filestore findings
    firebase firestore firewall-endpoint-associations firewall-endpoints firewall-policies
    firewall-rules flags fleet fleetobservability floorsettings folders forwarding-rules
    functions future-reservations gateway-security-policies gateways gemini gemini-cloud-assist
    gemini-gcp-enablement-settings genomics gi-versions git-repository-links github gitlab
    glossaries google-api-sources google-channels grants groups grpc-routes guest-policies hcx
    health-checks healthcare hl7v2-stores hmac holds hot-tablets hp-tuning-jobs http-filters
    http-health-checks http-routes https-health-checks hub hubs iac-validation-reports iam iap
    identity identity-service ids image-imports images immersive-stream import-jobs imports
    index-endpoints indexes info infra-manager ingress insight-type-config insights
    insights-configs instance-configs instance-groups instance-os-policies-compliances
    instance-partitions instance-templates instances instant-snapshot-groups instant-snapshots
    intelligence-configs intents intercept-deployment-groups intercept-deployments
    intercept-endpoint-group-associations intercept-endpoint-groups interconnects
    internal-ranges inventories inventory inventory-reports investigations ios ip-blocks
    issuance-configs job job-runs job-triggers jobs key-handles keyrings keys keysets kms
    kms-configs l2-forwarding lakes lb-edge-extensions lb-route-extensions lb-traffic-extensions
    levels liens lifesciences links lite-operations lite-reservations lite-subscriptions
    lite-topics locales locations logging logging-servers logging-settings logical-views logs
    looker luns lustre machine-image-imports machine-images machine-types machines manage
    managed managed-flink managed-folders managed-identities managed-kafka managed-zones
    management-dns-zone-bindings management-hub management-servers manifests maps
    materialized-views memberships memcache memorystore mesh meshes message-buses metadata-jobs
    metastore method-names metrics metrics-scopes migration migration-jobs migration-workflows
    migrations mirroring-deployment-groups mirroring-deployments
    mirroring-endpoint-group-associations mirroring-endpoint-groups mirroring-rules ml ml-engine
    model-and-server-combinations model-armor model-garden model-monitoring-jobs
    model-server-versions model-servers models modules monitoring multi-cluster-services
    multi-region-services multicast-consumer-associations multicast-domain-activations
    multicast-domain-groups multicast-domains multicast-group-consumer-activations
    multicast-group-definitions multicast-group-producer-activations
    multicast-group-range-activations multicast-group-ranges multicast-groups
    multicast-producer-associations muteconfigs namespaceactuation namespaces nats netapp
    network-attachments network-connectivity network-edge-security-services
    network-endpoint-groups network-firewall-policies network-interfaces network-management
    network-peerings network-policies network-profiles network-security network-services
    networking networks nfs-shares node-groups node-pools node-templates node-types nodes
    notebooks notifications nsx oauth-brands oauth-clients objects observability
    observability-policies operations ops-agents oracle-database orchestration-cluster orders
    org-address-groups org-policies org-security-policies organizations origins os-config
    os-images os-inventory os-login os-policy-assignment-reports os-policy-assignments packages
    packet-mirrorings pam parametermanager parameters patch-deployments patch-jobs
    peered-dns-domains peerings perimeters persistent-resources pipeline pipelines plugins
    policies policy policy-based-routes policy-bindings policy-orchestrators policy-tags
    policycontroller pools posture-deployments posture-operations posture-templates postures
    preferences preview-features previews principal-access-boundary-policies private-clouds
    private-connections privateca product-search product-sets products profiles project-configs
    project-feature-settings project-info project-zonal-metadata projects providers
    public-advertised-prefixes public-delegated-prefixes pubsub queued-resources queues quota
    quota-rules quotas rbacrolebindingactuation rbacrolebindings realms recaptcha recognizers
    recommendations recommender recommender-config recommender-configs record-sets redis
    regional-endpoints regions registrations release-channel-settings releases
    remediation-intents remote-locations replication replications repos repositories
    repository-groups requests reservations resize-requests resource-allowances
    resource-backup-config resource-bundles resource-config resource-descriptors
    resource-manager resource-policies resources response-policies restore-channels
    restore-plan-bindings restore-plans restores revisions roles rollout-kinds rollouts roots
    route-tables route-views routers routes rules runtime-config runtime-templates runtimes saas
    saas-runtime samples saved-queries sbom scan-configs scan-runs scc scheduler schedules
    schema-registries schemas scopes secrets secure-access-connect security-policies
    security-profile-groups security-profiles serial-console-ssh-keys server-ca-certs
    server-certs server-tls-policies service-account service-accounts service-attachments
    service-bindings service-connection-policies service-directory service-extensions
    service-lb-policies service-names service-projects services session-templates sessions
    setting-bindings settings sha shared-vpc sinks snapshot-groups snapshot-settings snapshots
    snoozes sole-tenancy source source-manager sources spanner speech splits spokes sql
    sql-integrations ssh-keys ssl ssl-certificates ssl-certs ssl-policies standalone-clusters
    storage storage-pool-types storage-pools streams sub-blocks subject subjects subnets
    subordinates subscriptions support-access supported-services tables tag-templates tags
    target-grpc-proxies target-http-proxies target-https-proxies target-instances target-pools
    target-projects target-ssl-proxies target-tcp-proxies target-vpn-gateways targets tasks
    taxonomies tcp tcp-routes telco-automation templates tenants tensorboard-experiments
    tensorboard-runs tensorboard-time-series tensorboards terms terraform-versions
    threat-prevention tiers tls-inspection-policies tls-routes topics topologies tpu-vm tpus
    trace transaction transcoder transfer translate triggers trust-configs ttls tunnels
    type-providers types unit-kinds unit-operations units unmanaged uptime url-lists url-maps
    user-creds user-workloads-config-maps user-workloads-secrets users values variables vcenter
    versions video views violations vision vms vmware volume-backups volume-restores volumes
    vpc-access vpc-flow-logs-configs vpc-peerings vpcsc-config vpn-connections vpn-gateways
    vpn-tunnels vulnerabilities vulnerability-reports waiters wasm-actions wasm-plugin-versions
    wasm-plugins web web-security-scanner wire-groups workbench worker-pools workflow-templates
    workflows workforce-pools workload-identity workload-identity-pools workloads
    workspace-add-ons workstations xr zones
    """.split()
)
