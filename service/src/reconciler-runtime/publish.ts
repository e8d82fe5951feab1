import { hostname } from 'node:os';
import type { Db } from '../db/connection.ts';
import { defineReconciler } from './define.ts';
import { writeStatuses } from './queries.ts';
import type { StatusRecorder } from './status.ts';

export interface Publishing {
  db: Db;
  statuses: StatusRecorder['statuses'];
}

/** The name of this service in `npm run inspect -- reconcilers`. */
const serviceName = `${hostname()}/${process.pid}`;

/** Writes how all reconcilers of this service do for `npm run inspect`, its own last run among them. */
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
