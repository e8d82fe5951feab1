import type pg from 'pg';
import { Gauge, type Registry } from 'prom-client';

/** How the connections of this process to PostgreSQL are doing. */
export function poolGauges(registry: Registry, pool: pg.Pool): void {
  const registers = [registry];
  new Gauge({
    name: 'berth_database_connections',
    help: 'Connections of this service to PostgreSQL, in use and idle.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'used' }, pool.totalCount - pool.idleCount);
    },
  });
  new Gauge({
    name: 'berth_database_connections_limit',
    help: 'How many of them there may be.',
    registers,
  }).set(pool.options.max);
  new Gauge({
    name: 'berth_database_waiting',
    help: 'Queries of this service that wait for a connection.',
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
}
