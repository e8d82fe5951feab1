import { setTimeout as sleep } from 'node:timers/promises';
import { fastifyOn } from './fastify.ts';
import { residentMegabytes } from './processor.ts';
import { large, sizeOf } from './scale.ts';
import { withFleet } from './scale-installation.ts';
import { compare, conclude } from './statistics.ts';

const mostMegabytes = 400;
/** Two rounds of metering, which remember the counters of all servers. */
const settleSeconds = 40;

/**
 * Measures the memory of a service with 100,000 servers, after all locations were compared and metered. The baseline is
 * Fastify, which has read nothing.
 */
export async function benchMemory(): Promise<boolean> {
  return await withFleet(large, async (installation) => {
    const { service, fleet, superuserConnectionString } = installation;
    await using fastify = await fastifyOn(superuserConnectionString);
    await sleep(settleSeconds * 1000);
    const title = `Memory with ${sizeOf(fleet).toLocaleString('en-US')} servers, megabytes`;
    const [bare, full] = [fastify, service].map(({ pid }) => [residentMegabytes(pid)]);
    const names = { baseline: 'Fastify', measured: 'Berth' };
    const target = { of: 'measured', most: mostMegabytes } as const;
    return conclude(title, names, compare(bare ?? [], full ?? []), target);
  });
}
