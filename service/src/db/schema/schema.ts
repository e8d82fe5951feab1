import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { PeopleTables } from './people-schema.ts';
import type { Timestamp } from './timestamp-schema.ts';

export type ServerStatus = 'creating' | 'started' | 'stopped' | 'paused' | 'deleting' | 'error';
export type EngineStatus = 'started' | 'stopped' | 'paused' | 'error' | 'not_exists';
export type OperationStatus =
  | 'pending'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'superseded'
  | 'cancelled';
/** Which traffic counts towards the allowance, and what happens when that is used up. */
export type TrafficCounted = 'outgoing' | 'incoming' | 'both';
export type TrafficPolicy = 'none' | 'throttle' | 'stop';
export type OperatingSystemType = 'container' | 'virtual-machine';

/** The address of a location's Incus. */
export type EngineAddress =
  | {
      socket_path: string;
      /** The fingerprint of the engine's certificate; missing until a start has read it. */
      fingerprint?: string;
    }
  | { urls: string[]; server_cert: string };

/**
 * The kind of a location's `network`: a bridge or an OVN network that Incus manages, or an
 * unmanaged bridge of the hosts.
 */
export type NetworkKind = 'bridge' | 'ovn' | 'unmanaged';

/** The source of an operating system's image. */
export type ImageSource = { build: 'debian-12' } | { server: string; alias: string };

/** The result of an initial command. `output` is the end of its output. */
export interface CommandResult {
  exit_status: number;
  output: string;
  /** Null if it was not measured. */
  duration_ms?: number | null;
  /** Whether the output was removed. */
  output_expired?: boolean;
  /** Whether it was removed because the project was over its quota, and not because of its age. */
  output_dropped?: boolean;
}

/** What cloud-init says of the user data of a server, as the API shows it. */
export interface UserDataReport {
  status: 'done' | 'degraded' | 'error' | 'running' | 'unknown';
  errors: string[];
}

/** Why a server was placed on its node, as the API shows it. */
export interface Placement {
  node: string;
  reason: string;
  /** How many nodes the location had. */
  nodes: number;
  /** How many of them were excluded, by the first reason that applied. */
  excluded: Partial<Record<Exclusion, number>>;
  /** The best of the others that were possible. */
  others: { node: string; reason: string }[];
}

/** Why a node is excluded: its state, or a lack of capacity. */
export type Exclusion = 'current' | 'offline' | 'evacuated' | 'cordoned' | 'ram' | 'disk' | 'cpu';

interface ProjectsTable {
  id: GeneratedAlways<number>;
  name: string;
  description: Generated<string>;
  /** Whether two of its servers may not have the same name. */
  unique_names: Generated<boolean>;
  /** Whether its servers can only get the sizes of `sizes`. */
  sizes_only: Generated<boolean>;
  max_servers: number | null;
  max_cpu: number | null;
  max_ram_mb: number | null;
  max_disk_gb: number | null;
  max_addresses: number | null;
  /** MiB of outputs of initial commands, as stored. */
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
  /** CIDR; empty means any. */
  allowed_networks: Generated<string[]>;
  /** The user who owns the token; null if nobody does. */
  created_by: number | null;
  /** The token that created it, with which it ends; null if a user or the command line did. */
  parent_id: number | null;
  created_at: Timestamp;
}

interface InstallationTable {
  only_row: Generated<boolean>;
  id: Generated<string>;
  secret_key_sha256: Buffer | null;
  /** See keys/keyring.ts. */
  sealing: Generated<'unbound' | 'mixed' | 'bound'>;
  /** The previous key, during a rotation. */
  rotated_from_sha256: Buffer | null;
  /** Lost keys that were replaced. */
  replaced_keys_sha256: Generated<Buffer[]>;
  /** PEM. Engines over HTTPS know this installation by it. */
  client_certificate: string | null;
  /** The key of the certificate, encrypted. */
  client_key: Buffer | null;
  /** The time of the last export. */
  exported_at: Timestamp | null;
  /** The hash of the code with which the first administrator is made; null once there is a user. */
  setup_code_sha256: Buffer | null;
  setup_code_expires_at: Timestamp | null;
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
  /** The network's own subnets; null if they are not known, and for an unmanaged bridge. */
  network_subnets: string[] | null;
  /** False from an import until its instances were compared with the records. */
  instances_known: Generated<boolean>;
  vlan: number | null;
  uuid: Generated<string>;
  /** CIDR. Servers may reach these in addition to the Internet. */
  allowed_destinations: Generated<string[]>;
  smtp: Generated<'blocked' | 'open'>;
  /** Other Incus projects whose instances are listed for adoption. */
  adopt_from: Generated<string[]>;
  /** Incremented with each change of what servers may reach, or be reached from. */
  policy_wanted: Generated<number>;
  /** The version that the rules of its network have; 0 until they were set. */
  policy_applied: Generated<number>;
  /** Why the rules could not be set, or what they lack. */
  policy_reason: string | null;
  policy_since: Timestamp;
  /**
   * URLs of others to whom all IPv6 addresses of its network are open; null until this was checked.
   */
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
  /** Whether an administrator has set its bounds, which then no longer follow the machine. */
  is_administered: Generated<boolean>;
  overcommit_cpu: Generated<number>;
  overcommit_ram: Generated<number>;
  overcommit_disk: Generated<number>;
  /** The operating systems that servers can be created with; null means all. */
  os_ids: number[] | null;
  /** How many creates may run on a node at once; null means it depends on its cores. */
  creates_per_node: number | null;
  removed_at: Timestamp | null;
  created_at: Timestamp;
}

interface NodesTable {
  id: GeneratedAlways<number>;
  location_id: number;
  name: string;
  member: string | null;
  /** Whether the engine can be reached on it. */
  status: 'online' | 'offline';
  status_since: Timestamp;
  /** Since when it is in its state, regardless of its location's. Maintained by a trigger. */
  state_since: Timestamp;
  /** Since when it answers slowly; null if it does not, or does not answer at all. */
  slow_since: Timestamp | null;
  /** Declared lost by an administrator. */
  lost: Generated<boolean>;
  cpu: number;
  ram_mb: number;
  /** The size of the location's storage pool; 0 until the engine has reported it. */
  disk_gb: Generated<number>;
  ram_used_mb: Generated<number>;
  disk_used_gb: Generated<number>;
  incus_version: string | null;
  failure_domain: Generated<string>;
  evacuated: Generated<boolean>;
  /** Whether it is no longer a member of its cluster. */
  gone: Generated<boolean>;
  /** All addresses of its host; null until it has reported them. */
  addresses: string[] | null;
  /** When it last reported all of them. */
  addresses_read_at: Timestamp | null;
  /** Set by an administrator: it gets no new servers. */
  cordoned: Generated<boolean>;
  servers: Generated<number>;
  allocated_cpu: Generated<number>;
  allocated_ram_mb: Generated<number>;
  allocated_disk_gb: Generated<number>;
  updated_at: Timestamp;
  /** When its instances were first compared in the last month (UTC) in which they were. */
  compared_at: Timestamp | null;
  kernel_version: string | null;
  /** Whether its kernel can limit the traffic of servers; null until that was probed. */
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

/** An SSH key of a server, as it was when the server was created. */
export interface SshKeyOfServer {
  name: string;
  fingerprint: string;
}

interface ServersTable {
  id: GeneratedAlways<number>;
  uuid: Generated<string>;
  project_id: number;
  location_id: number;
  os_id: number;
  node_id: number;
  /**
   * The node to which it is being moved, and which reserves capacity for it, until its location was
   * seen.
   */
  moving_to: number | null;
  /** The node from which an evacuation moved it, until its next move. */
  evacuated_from: number | null;
  hostname: string;
  mac: string;
  cpu: number;
  ram_mb: number;
  disk_gb: number;
  /** The one of `sizes`; null for a size of its own. */
  size_id: number | null;
  /** The size that it is being given; null unless it is being resized. */
  resizing_cpu: number | null;
  resizing_ram_mb: number | null;
  resizing_disk_gb: number | null;
  /** The one of `sizes`; null for a size of its own. */
  resizing_size_id: number | null;
  traffic_allowance: number | null;
  /** Mbit/s; the desired throttle. */
  traffic_throttle: number | null;
  /** Mbit/s; the throttle that the engine has confirmed. */
  throttled_to: number | null;
  throttle_error: string | null;
  group_name: string | null;
  status: ServerStatus;
  real_status: Generated<EngineStatus>;
  real_status_at: Timestamp;
  error: string | null;
  /** The number of initial commands, and of those that failed in the last create. */
  commands_total: Generated<number>;
  commands_failed: Generated<number>;
  /** As it was created, or last rebuilt. */
  ssh_keys: JSONColumnType<SshKeyOfServer[], string | undefined, string>;
  password_login: Generated<boolean>;
  labels: JSONColumnType<Record<string, string>, string | undefined, string>;
  /** The row of `label_sets` by which selectors find it; null without labels, and once it is deleted. */
  label_set_id: number | null;
  notes: Generated<string>;
  protects_delete: Generated<boolean>;
  protects_rebuild: Generated<boolean>;
  suspended_at: Timestamp | null;
  suspension_reason: string | null;
  /** Whether it ran, so that the end of its suspension starts it again. */
  ran_before_suspension: Generated<boolean>;
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
  /** Whether it is one of the network's own subnets, and was not added by an administrator. */
  is_of_network: Generated<boolean>;
  created_at: Timestamp;
}

interface UnknownInstancesTable {
  id: GeneratedAlways<number>;
  location_id: number;
  name: string;
  /** Whether it has the label of this installation. */
  is_ours: boolean;
  seen_at: Timestamp;
}

interface ServiceAddressesTable {
  /** A public address of a machine on which a service runs. */
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
  /** Set for a server's operation; null for a node's. */
  project_id: number | null;
  /** Exactly one of these is set. */
  server_id: number | null;
  node_id: number | null;
  /** The operation of which it is a part. */
  parent_id: number | null;
  kind: string;
  status: Generated<OperationStatus>;
  step: string;
  state: JSONColumnType<Record<string, unknown>, string | undefined, string>;
  progress: Generated<number>;
  message: string;
  error: JSONColumnType<{ code: string; message: string }> | null;
  commands: JSONColumnType<CommandResult[]> | null;
  /** The stored size of the outputs once it has ended, recorded by a trigger; 0 without outputs. */
  output_bytes: number | null;
  /** For a create that chose its node. */
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

/** The last report of a node. The arrays have the same servers in the same order. */
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

/** The usage from `at` on, for the step in the table's name. */
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
  /** The one of `sizes`; null for a size of its own. */
  size_id: number | null;
}

interface TrafficNoticesTable {
  server_id: number;
  month: string;
  percent: number;
  /** The allowance at the time, in bytes a month. */
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

/** Settings of the installation by administrators. */
interface SettingsTable {
  only_row: Generated<boolean>;
  audit_months: Generated<number>;
  operations_months: Generated<number>;
  outputs_days: Generated<number>;
  /** The last operation whose output was removed, as were those of all before it. */
  outputs_gone_until: Generated<number>;
  /** The last event that was removed, as were all before it. */
  events_gone_until: Generated<number>;
}

/** The last runs of a service's reconcilers. Unlogged: it is empty after a crash of PostgreSQL. */
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

/** A view of the partitions, and of entries that are yet to be moved there. */
interface AuditLogView {
  id: GeneratedAlways<number>;
  at: Timestamp;
  project_id: number | null;
  token_id: number | null;
  user_id: number | null;
  source: 'api' | 'command_line' | 'berth';
  /** Whether the caller acted as an administrator. */
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
  /** Set only for refusals that were counted. */
  first_at: Timestamp | null;
  last_at: Timestamp | null;
  /** Set only for refusals that were counted. */
  address_count: number | null;
}

/**
 * All tables of Berth, as its queries see them. The type of a table that only one noun uses may be
 * in its `queries.ts`, with `declare module '../db/schema/schema.ts'`.
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
  /** What is entered today. `audit_log` has all entries. */
  audit_entries: AuditLogView;
  settings: SettingsTable;
  images: ImagesTable;
  reconciler_statuses: ReconcilerStatusesTable;
}
