import type { Db } from '../db/connection.ts';
import { defineReconciler } from './define.ts';
import { writeStatuses } from './queries.ts';
import { serviceName } from './service.ts';
import type { StatusRecorder } from './status.ts';

export interface Publishing {
  db: Db;
  statuses: StatusRecorder['statuses'];
}

/** Writes the status of all reconcilers of this service for `npm run inspect`, including its own. */
export const publishStatuses = defineReconciler<Publishing>({
  name: 'reconciler-statuses',
  every: { milliseconds: 10_000, first: 'now', from: 'end' },
  failure: 'The statuses of the reconcilers could not be written.',
  async run({ db, statuses }) {
    const written = statuses();
    await writeStatuses(db, serviceName, written);
    return { reconcilers: written.length };
  },
});
