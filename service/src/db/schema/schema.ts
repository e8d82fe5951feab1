import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { PeopleTables } from './people-schema.ts';
import type { Timestamp } from './timestamp-schema.ts';

export type ServerStatus = 'creating' | 'started' | 'stopped' | 'paused' | 'deleting' | 'error';
export type EngineStatus = 'started' | 'stopped' | 'paused' | 'error' | 'not_exists';
export type OperationStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'superseded';
/** Which traffic counts towards the allowance, and what happens when that is used up. */
export type TrafficCounted = 'outgoing' | 'incoming' | 'both';
export type TrafficPolicy = 'none' | 'throttle' | 'stop';
export type OperatingSystemType = 'container' | 'virtual-machine';

/** Where a location's Incus is. */
export type EngineAddress =
  | {
      socket_path: string;
      /** Of the certificate of the engine that was last found there; missing until a start has looked. */
      fingerprint?: string;
    }
  | { urls: string[]; server_cert: string };

/**
 * What a location's `network` names: a bridge or an OVN network that Incus manages, or a bridge that the
 * hosts have themselves.
 */
export type NetworkKind = 'bridge' | 'ovn' | 'unmanaged';

/** Where an operating system's image comes from. */
export type ImageSource = { build: 'debian-12' } | { server: string; alias: string };

/** What an initial command of a create came to. `output` is the end of what it printed. */
export interface CommandResult {
  exit_status: number;
  output: string;
  /** Null where nobody measured it. */
  duration_ms?: number | null;
  /** It was removed. */
  output_expired?: boolean;
  /** It was removed since its project had more than its quota, and not for its age. */
  output_dropped?: boolean;
}

/** Why a server went to its node: kept as the API shows it. */
export interface Placement {
  node: string;
  reason: string;
  /** How many nodes its location had. */
  nodes: number;
  /** How many of them could not be taken, each for the first reason that there was. */
  excluded: Partial<Record<Exclusion, number>>;
  /** The best of those that could have been taken as well. */
  others: { node: string; reason: string }[];
}

/** Why a node can't be taken: how it is, or what it has not enough of. */
export type Exclusion = 'current' | 'offline' | 'evacuated' | 'cordoned' | 'ram' | 'disk' | 'cpu';

interface ProjectsTable {
  id: GeneratedAlways<number>;
  name: string;
  description: Generated<string>;
  /** Whether no two of its servers may have the same name. */
  unique_names: Generated<boolean>;
  max_servers: number | null;
  max_cpu: number | null;
  max_ram_mb: number | null;
  max_disk_gb: number | null;
  max_addresses: number | null;
  /** MiB of what initial commands printed, as it is stored. */
  max_outputs_mib: Generated<number | null>;
  used_servers: Generated<number>;
  used_cpu: Generated<number>;
  used_ram_mb: Generated<number>;
  used_disk_gb: Generated<number>;
  used_addresses: Generated<number>;
  created_at: Timestamp;
  deleted_at: Timestamp | null;
}

interface TokensTable {
  id: GeneratedAlways<number>;
  project_id: number;
  name: string;
  secret_sha256: Buffer;
  scopes: string[];
  expires_at: Timestamp | null;
  revoked_at: Timestamp | null;
  last_used_at: Timestamp | null;
  /** CIDR; empty: any. */
  allowed_networks: Generated<string[]>;
  /** The person whose token it is; null: nobody's. */
  created_by: number | null;
  /** The token that made it, with which it ends; null: a person, or the command line. */
  parent_id: number | null;
  created_at: Timestamp;
}

interface InstallationTable {
  only_row: Generated<boolean>;
  id: Generated<string>;
  secret_key_sha256: Buffer | null;
  /** See keys/keyring.ts. */
  sealing: Generated<'unbound' | 'mixed' | 'bound'>;
  /** The key before, while that is replaced. */
  rotated_from_sha256: Buffer | null;
  /** Keys that another one took the place of, as they were lost. */
  replaced_keys_sha256: Generated<Buffer[]>;
  /** PEM: how engines over HTTPS know this installation. */
  client_certificate: string | null;
  /** Its key, encrypted. */
  client_key: Buffer | null;
  /** The moment of the last export that was written. */
  exported_at: Timestamp | null;
  created_at: Timestamp;
}

interface LocationsTable {
  id: GeneratedAlways<number>;
  name: string;
  description: string;
  engine: JSONColumnType<EngineAddress>;
  incus_project: string;
  storage_pool: string;
  network: string;
  network_kind: Generated<NetworkKind>;
  /** Of its own; null while nobody knows, and of a bridge of the hosts. */
  network_subnets: string[] | null;
  /** False from an import on, until its instances were compared with the records. */
  instances_known: Generated<boolean>;
  vlan: number | null;
  uuid: Generated<string>;
  /** CIDR: what servers may reach beside the Internet. */
  allowed_destinations: Generated<string[]>;
  smtp: Generated<'blocked' | 'open'>;
  /** Grows with each change of what servers may reach, or come from. */
  policy_wanted: Generated<number>;
  /** What the rules of its network say; 0 until it had any. */
  policy_applied: Generated<number>;
  /** Why they could not be set, or what they lack. */
  policy_reason: string | null;
  policy_since: Timestamp;
  /** URLs of those for whom all IPv6 addresses of its network are open; null until it was looked at. */
  ipv6_open_for: string[] | null;
  min_cpu: Generated<number>;
  max_cpu: number;
  min_ram_mb: Generated<number>;
  max_ram_mb: number;
  min_disk_gb: Generated<number>;
  max_disk_gb: number;
  traffic_allowance: number | null;
  traffic_counted: Generated<TrafficCounted>;
  traffic_policy: Generated<TrafficPolicy>;
  /** Mbit/s. */
  traffic_throttle: number | null;
  enabled: Generated<boolean>;
  reachable: Generated<boolean>;
  reachable_changed_at: Timestamp;
  unreachable_reason: string | null;
  watched_at: Timestamp;
  /** Whether its bounds were set by an administrator, and no longer follow the machine. */
  is_administered: Generated<boolean>;
  overcommit_cpu: Generated<number>;
  overcommit_ram: Generated<number>;
  overcommit_disk: Generated<number>;
  /** Which operating systems servers can be created with; null: all. */
  os_ids: number[] | null;
  /** How many creates may run on a node at once; null: by its cores. */
  creates_per_node: number | null;
  removed_at: Timestamp | null;
  created_at: Timestamp;
}

interface NodesTable {
  id: GeneratedAlways<number>;
  location_id: number;
  name: string;
  member: string | null;
  /** Whether the engine can be asked about it. */
  status: 'online' | 'offline';
  status_since: Timestamp;
  /** Since when it is in its state, without what is known of its location; a trigger sees to it. */
  state_since: Timestamp;
  /** Since when it answers late; null while it does not, or does not answer at all. */
  slow_since: Timestamp | null;
  /** Given up by an administrator. */
  lost: Generated<boolean>;
  cpu: number;
  ram_mb: number;
  /** Of the location's storage pool; 0 until the engine has told. */
  disk_gb: Generated<number>;
  ram_used_mb: Generated<number>;
  disk_used_gb: Generated<number>;
  incus_version: string | null;
  failure_domain: Generated<string>;
  evacuated: Generated<boolean>;
  /** No longer a member of its cluster. */
  gone: Generated<boolean>;
  /** All that its host has; null until it has told. */
  addresses: string[] | null;
  /** When it told the whole of them last. */
  addresses_read_at: Timestamp | null;
  /** Wanted by an administrator: no new servers. */
  cordoned: Generated<boolean>;
  servers: Generated<number>;
  allocated_cpu: Generated<number>;
  allocated_ram_mb: Generated<number>;
  allocated_disk_gb: Generated<number>;
  updated_at: Timestamp;
  /** When its instances were compared for the first time in the newest month (UTC) that they were. */
  compared_at: Timestamp | null;
  kernel_version: string | null;
  /** Whether its kernel can limit the traffic of servers; null until that was tried. */
  limits_incoming: boolean | null;
  limits_outgoing: boolean | null;
  limits_kernel: string | null;
  limits_tried_at: Timestamp | null;
}

interface OperatingSystemsTable {
  id: GeneratedAlways<number>;
  slug: string;
  name: string;
  version: string;
  type: OperatingSystemType;
  architecture: string;
  source: JSONColumnType<ImageSource>;
  min_ram_mb: number;
  min_disk_gb: number;
  enabled: Generated<boolean>;
  created_at: Timestamp;
}

interface ServersTable {
  id: GeneratedAlways<number>;
  uuid: Generated<string>;
  project_id: number;
  location_id: number;
  os_id: number;
  node_id: number;
  /** The node that it is on its way to, which holds room for it, until somebody saw where it is. */
  moving_to: number | null;
  /** The node whose evacuation took it away, until it is moved otherwise. */
  evacuated_from: number | null;
  hostname: string;
  mac: string;
  cpu: number;
  ram_mb: number;
  disk_gb: number;
  traffic_allowance: number | null;
  /** Mbit/s that it is to be held to now. */
  traffic_throttle: number | null;
  /** The same, as the engine confirmed it. */
  throttled_to: number | null;
  throttle_error: string | null;
  group_name: string | null;
  status: ServerStatus;
  real_status: Generated<EngineStatus>;
  real_status_at: Timestamp;
  error: string | null;
  /** Initial commands: how many there are, and how many of the last create failed. */
  commands_total: Generated<number>;
  commands_failed: Generated<number>;
  created_at: Timestamp;
  installed_at: Timestamp | null;
  deleted_at: Timestamp | null;
}

interface AddressPoolsTable {
  id: GeneratedAlways<number>;
  location_id: number;
  cidr: string;
  gateway: string;
  nameservers: string[];
  first: string;
  last: string;
  last_taken: string | null;
  enabled: Generated<boolean>;
  /** Of the network's own subnets, rather than added by an administrator. */
  is_of_network: Generated<boolean>;
  created_at: Timestamp;
}

interface UnknownInstancesTable {
  id: GeneratedAlways<number>;
  location_id: number;
  name: string;
  /** It bears the label of this installation. */
  is_ours: boolean;
  seen_at: Timestamp;
}

interface ServiceAddressesTable {
  /** A public one of a machine that a service runs on. */
  address: string;
  seen_at: Timestamp;
}

interface ReservedAddressesTable {
  ip: string;
  pool_id: number;
  instance_id: number;
}

interface AddressesTable {
  ip: string;
  pool_id: number;
  server_id: number;
  is_primary: boolean;
  created_at: Timestamp;
}

interface OperationsTable {
  id: GeneratedAlways<number>;
  /** Of a server's operation; null of a node's. */
  project_id: number | null;
  /** Exactly one of these is there. */
  server_id: number | null;
  node_id: number | null;
  /** The operation that it is part of. */
  parent_id: number | null;
  kind: string;
  status: Generated<OperationStatus>;
  step: string;
  state: JSONColumnType<Record<string, unknown>, string | undefined, string>;
  progress: Generated<number>;
  message: string;
  error: JSONColumnType<{ code: string; message: string }> | null;
  commands: JSONColumnType<CommandResult[]> | null;
  /** What they take, as stored, once it has ended: a trigger notes it. 0 of those without output. */
  output_bytes: number | null;
  /** Of a create that chose its node. */
  placement: JSONColumnType<Placement> | null;
  secrets: Buffer | null;
  attempts: Generated<number>;
  last_error: string | null;
  wake_at: Timestamp;
  deadline_at: Timestamp;
  lease_holder: string | null;
  lease_until: Timestamp | null;
  fence: Generated<number>;
  created_at: Timestamp;
  started_at: Timestamp | null;
  step_since: Timestamp;
  finished_at: Timestamp | null;
}

interface IdempotencyKeysTable {
  caller: string;
  key: string;
  request_hmac: Buffer;
  status: number;
  headers: JSONColumnType<Record<string, string>>;
  body: JSONColumnType<Record<string, unknown>>;
  secret: Buffer | null;
  created_at: Timestamp;
}

interface UsageCurrentTable {
  server_id: number;
  read_at: Timestamp;
  recorded: Generated<number>;
  cpu_seconds: number;
  disk_read: number | null;
  disk_write: number | null;
  network_read_at: Timestamp | null;
  cpu_percent: number;
  ram_mb: number;
  disk_gb: number | null;
  disk_read_at: Timestamp | null;
}

/** What a node told last; the arrays are of the same servers. */
interface UsageScrapesTable {
  node_id: number;
  recorded: number;
  read_at: Timestamp;
  server_ids: number[];
  cpu_seconds: number[];
  disk_read: (number | null)[];
  disk_write: (number | null)[];
}

interface UsageRunsTable {
  server_id: number;
  run: string;
  network_in: number;
  network_out: number;
  recorded: number;
  read_at: Timestamp;
}

/** What passed from `at` on, for the time that the table's name says. */
interface UsageHistoryTable {
  server_id: number;
  at: Timestamp;
  traffic_in: number | null;
  traffic_out: number | null;
  disk_read: number | null;
  disk_write: number | null;
  cpu: number | null;
  ram: number | null;
  disk: number | null;
  samples: number;
}

interface UsageRollupsTable {
  step_seconds: number;
  done_until: Timestamp;
}

interface UsageDueTable {
  step_seconds: number;
  at: Timestamp;
}

interface ServerSpansTable {
  id: GeneratedAlways<number>;
  server_id: number;
  from_at: Timestamp;
  to_at: Timestamp | null;
  is_running: boolean;
  cpu: number;
  ram_mb: number;
  disk_gb: number;
}

interface TrafficNoticesTable {
  server_id: number;
  month: string;
  percent: number;
  /** Bytes a month, of which it was. */
  allowance: number | null;
  at: Timestamp;
}

interface TrafficMonthsTable {
  server_id: number;
  month: string;
  incoming: Generated<number>;
  outgoing: Generated<number>;
}

export type ImageStatus = 'wanted' | 'importing' | 'ready' | 'failed';

interface ImagesTable {
  os_id: number;
  location_id: number;
  status: ImageStatus;
  progress: Generated<number>;
  message: string;
  requested_at: Timestamp;
}

/** Set by administrators for the installation. */
interface SettingsTable {
  only_row: Generated<boolean>;
  audit_months: Generated<number>;
  operations_months: Generated<number>;
  outputs_days: Generated<number>;
  /** The last operation whose output was removed, and that of all before it. */
  outputs_gone_until: Generated<number>;
}

/** How the last runs of a service's reconcilers went. Unlogged: a PostgreSQL that crashed has none. */
interface ReconcilerStatusesTable {
  service: string;
  reconciler: string;
  /** The name of a location, or empty. */
  location: string;
  every_seconds: number | null;
  running_since: Timestamp | null;
  runs: number;
  ran_at: Timestamp | null;
  key: string | null;
  lag_seconds: number | null;
  seconds: number | null;
  outcome: 'succeeded' | 'failed' | 'aborted' | null;
  found: ColumnType<Record<string, number> | null, never, never>;
  failures: number;
  failed_at: Timestamp | null;
  error: string | null;
  reported_at: Timestamp;
}

/** A view, of what is in partitions and of what is still to be moved there. */
interface AuditLogView {
  id: GeneratedAlways<number>;
  at: Timestamp;
  project_id: number | null;
  token_id: number | null;
  user_id: number | null;
  source: 'api' | 'command_line' | 'berth';
  /** As one, not as somebody who may less. */
  by_administrator: boolean;
  address: string | null;
  action: string;
  target_kind: string | null;
  target_id: number | null;
  status: number;
  code: string | null;
  request_id: string | null;
  details: ColumnType<Record<string, unknown> | null, string | null, never>;
  count: Generated<number>;
  /** Null but for refusals that were counted. */
  first_at: Timestamp | null;
  last_at: Timestamp | null;
  /** Null but for refusals that were counted. */
  address_count: number | null;
}

/**
 * Every table of Berth, as its queries see it. The type of a table that only one noun uses may stand in the `queries.ts` of
 * that, with `declare module '../db/schema/schema.ts'`.
 */
export interface Database extends PeopleTables {
  projects: ProjectsTable;
  tokens: TokensTable;
  installation: InstallationTable;
  locations: LocationsTable;
  nodes: NodesTable;
  operating_systems: OperatingSystemsTable;
  servers: ServersTable;
  address_pools: AddressPoolsTable;
  addresses: AddressesTable;
  operations: OperationsTable;
  idempotency_keys: IdempotencyKeysTable;
  usage_current: UsageCurrentTable;
  usage_runs: UsageRunsTable;
  usage_scrapes: UsageScrapesTable;
  usage_15s: UsageHistoryTable;
  usage_5m: UsageHistoryTable;
  usage_1h: UsageHistoryTable;
  usage_rollups: UsageRollupsTable;
  usage_due: UsageDueTable;
  server_spans: ServerSpansTable;
  unknown_instances: UnknownInstancesTable;
  service_addresses: ServiceAddressesTable;
  reserved_addresses: ReservedAddressesTable;
  traffic_months: TrafficMonthsTable;
  traffic_notices: TrafficNoticesTable;
  audit_log: AuditLogView;
  settings: SettingsTable;
  images: ImagesTable;
  reconciler_statuses: ReconcilerStatusesTable;
}
