import type { Service } from '../e2e/service.ts';
import { beside } from './disturbance.ts';
import { slowestPercent } from './latency.ts';
import { withSimulated } from './simulated.ts';
import { compare, conclude } from './statistics.ts';

const defaultRounds = 3;
const sockets = 500;
const requests = 800;
const mostMs = 250;
/** Resolves when all are connected. */
const settleMs = 3000;

/** The p99 of a client, alone and during 500 connections whose requests never end, in turns. */
export async function benchSlowSockets(rounds = defaultRounds): Promise<boolean> {
  // They come from ten addresses, since a single one may have only a tenth of the connections.
  const env = { BERTH_MAX_CONNECTIONS: String(sockets * 12) };
  const { alone, disturbed } = await withSimulated(env, (service) => measure(service, rounds));
  const result = compare(alone, disturbed);
  const names = { baseline: 'alone', measured: `with ${sockets} slow sockets` };
  return conclude('p99 of a client, milliseconds', names, result, { of: 'measured', most: mostMs });
}

async function measure(service: Service, rounds: number) {
  const alone: number[] = [];
  const disturbed: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const before = await slowestPercent(service, requests);
    const args = [String(service.port), String(sockets)];
    const { measured, said } = await beside('slow-client.ts', args, settleMs, () =>
      slowestPercent(service, requests),
    );
    const shown = `alone ${before.toFixed(1)} ms, with slow sockets ${measured.toFixed(1)} ms`;
    console.log(
      `${round === 0 ? 'warm-up' : `round ${round}`}: ${shown}; the slow clients: ${said}`,
    );
    if (round === 0) continue;
    alone.push(before);
    disturbed.push(measured);
  }
  return { alone, disturbed };
}
