import { hostname } from 'node:os';
import type { Db } from '../db/connection.ts';
import { defineReconciler } from './define.ts';
import type { Journal } from './journal.ts';
import { writeRuns } from './queries.ts';

export interface Publishing {
  db: Db;
  journal: Journal;
}

/** What `npm run inspect -- reconcilers` calls this service. */
const serviceName = `${hostname()}/${process.pid}`;

/** Writes how all reconcilers of this service do, its own last run among them, for `npm run inspect`. */
export const publishRuns = defineReconciler<Publishing>({
  name: 'reconciler-runs',
  every: { milliseconds: 10_000, first: 'now', from: 'end' },
  failure: 'How the reconcilers do could not be written.',
  async run({ db, journal }) {
    const entries = journal.entries();
    await writeRuns(db, serviceName, entries);
    return { reconcilers: entries.length };
  },
});
