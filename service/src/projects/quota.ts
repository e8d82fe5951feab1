import { type ProjectQuota, type QuotaName, quotaNames } from '@berth/contract/projects';
import type { Trx } from '../db/connection.ts';
import { counted } from '../lib/counted.ts';
import { Problem } from '../problems/problem.ts';
import { lockProject, type ProjectRow } from './queries.ts';

/** The part of each quota that one or several servers need. */
export type Demand = Record<QuotaName, number>;

type Held = Omit<ProjectQuota, 'outputs'>;

/** The limits and the usage of a project. */
export function quotaOf(row: ProjectRow): Held {
  return {
    servers: { limit: row.max_servers, used: row.used_servers },
    cpu: { limit: row.max_cpu, used: row.used_cpu },
    ram: { limit: row.max_ram_mb, used: row.used_ram_mb },
    disk: { limit: row.max_disk_gb, used: row.used_disk_gb },
    addresses: { limit: row.max_addresses, used: row.used_addresses },
  };
}

/**
 * Throws `quota_exceeded` (403) unless the project has that much left. Returns the project, which stays locked until
 * the transaction ends.
 */
export async function requireQuota(
  trx: Trx,
  projectId: number,
  demand: Demand,
): Promise<ProjectRow> {
  const project = await lockProject(trx, projectId);
  if (!project) throw noProject(projectId);
  checkQuota(project, demand);
  return project;
}

export function noProject(id: number): Problem {
  return new Problem('project_not_found', `No project has the id ${id}.`);
}

/** The same for a project that is not locked, so that it is only an early answer. */
export function checkQuota(project: ProjectRow, demand: Demand): void {
  const quota = quotaOf(project);
  const exceeded = quotaNames.flatMap((name) => {
    const { limit, used } = quota[name];
    const asked = demand[name];
    const isTooMuch = limit !== null && asked > 0 && used + asked > limit;
    return isTooMuch ? [{ quota: name, limit, used, asked }] : [];
  });
  const [first] = exceeded;
  if (first) throw new Problem('quota_exceeded', sentence(exceeded), { members: first });
}

interface Exceeded {
  quota: QuotaName;
  limit: number;
  used: number;
  asked: number;
}

const inUnits: Record<QuotaName, (amount: number) => string> = {
  servers: (amount) => counted(amount, 'server'),
  cpu: (amount) => counted(amount, 'core'),
  ram: (amount) => `${amount} MiB of memory`,
  disk: (amount) => `${amount} GiB of disk`,
  addresses: (amount) => counted(amount, 'address', 'addresses'),
};

function sentence(exceeded: Exceeded[]): string {
  const parts = exceeded.map(
    ({ quota, limit, used, asked }) =>
      `limit ${inUnits[quota](limit)}, used ${used}, requested ${asked}`,
  );
  const isUsedUp = exceeded.every(({ limit, used }) => used >= limit);
  return `The project's quota is ${isUsedUp ? 'used up' : 'too small'}: ${parts.join('; ')}. Delete servers, or have the quota raised.`;
}
