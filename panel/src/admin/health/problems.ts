import type { components } from '@berth/client';
import { counted } from '../../format/units.ts';

type Schemas = components['schemas'];
type Check = Schemas['Health']['checks'][number];
type Location = Schemas['Location'];
type Node = Schemas['Node'];

/** Something that an administrator should look after. */
export interface Found {
  /** What it is about, such as `Database`. */
  about: string;
  isUrgent: boolean;
  what: string;
  /** What to do about it. */
  advice: string;
  /** A page of the documentation, below `/help/`. */
  page?: string;
}

type FoundOnNode = Omit<Found, 'about'>;
type Advice = Pick<Found, 'advice' | 'page'>;

const advices: Partial<Record<Check['reason'], Advice>> = {
  instances_unknown: {
    advice: 'Look at the drift: adopt each instance, delete it in Incus, or forget it.',
    page: 'drift',
  },
  instances_not_compared: {
    advice: 'Wait until all instances were compared with the restored database, which needs Incus.',
    page: 'guides/backup',
  },
  database_unreachable: {
    advice: 'Look whether PostgreSQL runs, and whether DATABASE_URL is right.',
    page: 'operations',
  },
  database_read_only: {
    advice: 'Look whether PostgreSQL is a standby, or was made read-only.',
    page: 'operations',
  },
  disk_full: { advice: 'Free disk space, or enlarge the disk.', page: 'reliability' },
  incus_unreachable: {
    advice: 'Look whether Incus runs there, and whether a firewall is in the way.',
    page: 'locations',
  },
  incus_unusable: {
    advice: 'Look at the log of the service, which has what Incus answered.',
    page: 'locations',
  },
  location_unwatched: {
    advice: 'Start a service that watches the location, or look at the log of the one that does.',
    page: 'scaling',
  },
  secrets_unreadable: { advice: 'Bring back the secret key, or replace it.', page: 'security' },
  timeout: { advice: 'Look at the load of the machine, and at the log of the service.' },
  stopping: { advice: 'It is being stopped or upgraded. Wait until it runs again.' },
  failed: { advice: 'Look at the log of the service. “npm run doctor” checks the whole machine.' },
};

const named = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

function ofCheck({ name, status, reason, detail }: Check): Found[] {
  if (reason === 'ok') return [];
  const { advice = '', page } = advices[reason] ?? {};
  const isUrgent = status === 'failing';
  return [{ about: named(name), isUrgent, what: detail, advice, ...(page && { page }) }];
}

function ofLocation({ name, network_policy: policy, drift }: Location): Found[] {
  const about = `Location ${name}`;
  const found: Found[] = [];
  if (policy.status !== 'applied') {
    const why = policy.reason ? ` ${policy.reason}` : '';
    const advice =
      policy.status === 'pending'
        ? 'Berth tries it again by itself. Look at Incus if it stays so.'
        : 'Filter what its servers reach in another way, such as on the switch.';
    const what = `The rules of what its servers reach are not in force.${why}`;
    found.push({ about, isUrgent: false, what, advice, page: 'locations' });
  }
  if (drift) {
    const what = `${counted(drift, 'instance')} ${drift === 1 ? 'differs' : 'differ'} from the records.`;
    const advice = 'Repair, adopt or forget them on the page Drift.';
    found.push({ about, isUrgent: false, what, advice, page: 'drift' });
  }
  return found;
}

function ofNode({ status, slow_since, warnings }: Node): FoundOnNode[] {
  const page = 'nodes';
  const found: FoundOnNode[] = warnings.map((what) => ({
    ...{ isUrgent: false, what, page },
    advice: 'Upgrade the machine.',
  }));
  if (status === 'offline' || status === 'gone') {
    const isOffline = status === 'offline';
    const what = isOffline ? 'It does not answer.' : 'It is no longer a member of its cluster.';
    const advice =
      'Look at the machine. If it will not come back, switch it off and declare it lost.';
    found.unshift({ isUrgent: true, what, advice, page });
  }
  if (slow_since) {
    const what = 'It takes more than 3 seconds to answer.';
    found.push({ isUrgent: false, what, advice: 'Look at its load and its disks.', page });
  }
  return found;
}

/** What is the same on several nodes, such as an old version, is one problem. */
function ofNodes(nodes: readonly Node[]): Found[] {
  const all = new Map<string, { problem: FoundOnNode; names: string[] }>();
  for (const node of nodes) {
    for (const problem of ofNode(node)) {
      const names = all.get(problem.what)?.names ?? [];
      all.set(problem.what, { problem, names: [...names, node.name] });
    }
  }
  return [...all.values()].map(({ problem, names }) => ({
    ...problem,
    about: `${names.length === 1 ? 'Node' : 'Nodes'} ${names.join(', ')}`,
  }));
}

/** What an administrator should look after, the urgent first. */
export function problemsOf(
  checks: readonly Check[],
  locations: readonly Location[],
  nodes: readonly Node[],
): Found[] {
  const all = [...checks.flatMap(ofCheck), ...ofNodes(nodes), ...locations.flatMap(ofLocation)];
  return [...all.filter((one) => one.isUrgent), ...all.filter((one) => !one.isUrgent)];
}
