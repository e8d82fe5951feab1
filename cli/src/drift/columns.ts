import { columnsOf, referring } from '../output/columns.ts';
import { age, gib, mib, moment } from '../output/values.ts';
import type { Schemas } from '../schemas.ts';

type Drift = Schemas['Drift'];

export const driftColumns = columnsOf<Drift>(
  {
    id: (drift) => drift.id,
    kind: (drift) => drift.kind,
    location: (drift) => drift.location,
    node: (drift) => drift.node,
    instance: (drift) => drift.instance,
    incus_project: (drift) => drift.incus_project,
    server_id: (drift) => drift.server_id,
    project_id: referring('project', (drift) => drift.project_id),
    differences: {
      of: ({ differences }) => differences.map(({ path }) => path),
      text: (drift) => inWords(drift).join('\n'),
    },
    adoptable: {
      of: ({ adoptable }) => (adoptable === null ? null : adoptable.obstacles.length === 0),
      text: ({ adoptable }) => (adoptable === null ? '-' : whetherAdoptable(adoptable)),
    },
    since: { of: (drift) => drift.since, text: ({ since }) => moment(since) },
    age: { of: (drift) => drift.since, text: ({ since }) => age(since) },
    forgotten: (drift) => drift.forgotten,
  },
  ['id', 'kind', 'location', 'node', 'server_id', 'instance', 'differences', 'since'],
  ({ id }) => String(id),
);

/** What differs. If there are several differences, each says since when. */
function inWords({ kind, differences, incus_project }: Drift): string[] {
  if (kind === 'missing_instance') return ['It does not exist in Incus.'];
  if (kind === 'unknown_instance') return ['It belongs to no server.'];
  if (kind === 'foreign_instance') return [`It is in the Incus project ${incus_project}.`];
  return differences.map(({ path, expected, found, since }) => {
    const values = `${path}: ${expected ?? 'none'} -> ${found ?? 'none'}`;
    return differences.length === 1 ? values : `${values} (${age(since)} ago)`;
  });
}

function whetherAdoptable({
  cpu,
  ram,
  disk,
  ip_addresses,
  obstacles,
}: NonNullable<Drift['adoptable']>): string {
  if (obstacles.length > 0) return ['no', ...obstacles].join('\n');
  const parts = [
    cpu === null ? '--cpu is needed' : `${cpu} CPU`,
    ram === null ? '--ram is needed' : mib(ram),
    disk === null ? '--disk is needed' : gib(disk),
    ...ip_addresses,
  ];
  return `yes: ${parts.join(', ')}`;
}
