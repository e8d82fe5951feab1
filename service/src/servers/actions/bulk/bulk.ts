import type { Details } from '../../../audit/details.ts';
import type { Db } from '../../../db/connection.ts';
import type { Project } from '../../../db/project.ts';
import { inSavepoint, rolledBack } from '../../../db/transaction.ts';
import type { Selector } from '../../../labels/selector.ts';
import type { OperationRow } from '../../../operations/queries.ts';
import { Problem } from '../../../problems/problem.ts';
import { enterRequested } from '../enter.ts';
import type { AnyServerAction, Place } from '../rules/define.ts';
import { lockSelected } from './queries.ts';

/** What has become of an action for one of several servers. */
export type Result =
  | { serverId: number; operation: OperationRow; details: Details }
  | { serverId: number; refusal: Problem };

interface Wanted {
  action: AnyServerAction;
  /** What the action has read of the request. */
  wanted: unknown;
}

export interface Servers {
  /** The servers, each once. */
  ids: readonly number[];
  /** What selected them. Those whose labels no longer satisfy it have no result. */
  selector?: Selector;
}

/** Enters the operation of an action for each server that accepts it. The results are in the order of `ids`. */
export async function enterForEach(
  place: Place,
  { action, wanted }: Wanted,
  { ids, selector }: Servers,
): Promise<Result[]> {
  const still = selector ? await lockSelected(place.project, ids, selector) : ids;
  const results = new Map<number, Result>();
  // Two requests that lock the same servers in different orders could deadlock.
  for (const id of still.toSorted((one, other) => one - other)) {
    results.set(id, await enterOrRefuse(place, id, action, wanted));
  }
  return ids.flatMap((id) => results.get(id) ?? []);
}

async function enterOrRefuse(
  place: Place,
  serverId: number,
  action: AnyServerAction,
  wanted: unknown,
): Promise<Result> {
  try {
    // An action can be refused after it has superseded an operation, which then must be undone.
    const entered = await inSavepoint(place.trx, () =>
      enterRequested(place, serverId, action, wanted),
    );
    return { serverId, ...entered };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { serverId, refusal: error };
  }
}

/** Enters them, and rolls everything back. */
export async function dryRunForEach(
  db: Db,
  project: Project,
  wanted: Wanted,
  servers: Servers,
): Promise<Result[]> {
  return await rolledBack(db, (trx) =>
    enterForEach({ trx, project: project.in(trx) }, wanted, servers),
  );
}
