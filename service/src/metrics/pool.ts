import type pg from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { statementNames } from '../db/prepared/pool.ts';
import { waitingFor } from '../db/queue/turns.ts';

/** Pools by their purpose. */
export type Pools = Record<string, pg.Pool>;

/** Metrics of this process's connections to PostgreSQL. */
export function poolGauges(registry: Registry, pools: Pools): void {
  const registers = [registry];
  const all = Object.entries(pools);
  new Gauge({
    name: 'berth_database_connections',
    help: 'Connections of this service to PostgreSQL, by pool and state.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [name, { idleCount, totalCount }] of all) {
        this.set({ pool: name, state: 'idle' }, idleCount);
        this.set({ pool: name, state: 'used' }, totalCount - idleCount);
      }
    },
  });
  new Gauge({
    name: 'berth_database_connections_limit',
    help: 'Largest number of connections of a pool.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { options }] of all) this.set({ pool }, options.max);
    },
  });
  new Gauge({
    name: 'berth_database_waiting',
    help: 'Queries of this service that wait for a connection.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [name, pool] of all) this.set({ pool: name }, waitingFor(pool));
    },
  });
  new Gauge({
    name: 'berth_database_statement_names',
    help: 'Names of prepared statements that this service uses.',
    registers,
    collect() {
      this.set(statementNames.size);
    },
  });
  new Gauge({
    name: 'berth_database_statement_names_limit',
    help: 'Largest number of names of prepared statements.',
    registers,
    collect() {
      this.set(statementNames.limit);
    },
  });
}
