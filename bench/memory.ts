import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from './processor.ts';
import { large, sizeOf } from './scale.ts';
import { withFleet } from './scale-installation.ts';
import { concludeAlone } from './statistics.ts';

const mostMegabytes = 400;
/** Two rounds of metering, which remember the counters of all servers. */
const settleSeconds = 40;

/** Measures the memory of a service with 100,000 servers, after all locations were compared and metered. */
export async function benchMemory(): Promise<boolean> {
  return await withFleet(large, async ({ service, fleet }) => {
    await sleep(settleSeconds * 1000);
    const title = `Memory with ${sizeOf(fleet).toLocaleString('en-US')} servers, megabytes`;
    return concludeAlone(title, [residentMegabytes(service.pid)], { most: mostMegabytes });
  });
}
