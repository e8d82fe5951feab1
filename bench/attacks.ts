import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../e2e/service.ts';
import { beside } from './disturbance.ts';
import { type Growth, growingAttacks } from './growth.ts';
import { onDatabaseOf } from './hostile-rows.ts';
import { hostileTargets } from './hostile-targets.ts';
import { inWords, watchMemory } from './processor.ts';
import { percentile } from './statistics.ts';

const looks = 10;
/** A pause that is longer than an attack takes to start again. */
const lookMs = 1500;
const pauseMs = 10;
const settleMs = 3000;
/** The audit log, which `enterHostileRows` has filled. */
const largeList = '/v1/audit?limit=300';
/** Larger responses are limited in number. */
const largeBytes = 64 * 1024;

/**
 * A program that sends requests from many addresses at once, and the request that a second customer
 * sends meanwhile.
 */
export interface Attack {
  name: string;
  program: string;
  args: (service: Service) => string[] | Promise<string[]>;
  /** The status of the response; 0 if there is none. By default, it is a list of locations. */
  ask?: (customer: Customer) => Promise<number>;
  growth?: Growth;
}

const attacks: readonly Attack[] = [
  {
    name: 'ten addresses that open as many connections as they can',
    program: 'crowd.ts',
    args: ({ port }) => [String(port)],
  },
  {
    name: 'ten addresses that do not read a large public file',
    program: 'unread-asset.ts',
    args: ({ port }) => [String(port)],
    ask: (customer) => readAnew(customer, largeList, largeBytes),
  },
  {
    name: 'forty addresses that sign in as people who do not exist',
    program: 'sign-in-flood.ts',
    args: ({ port }) => [String(port)],
  },
  ...growingAttacks,
];

interface Customer {
  url: string;
  token: string;
}

/**
 * Returns whether a second customer was answered all the time, at least a third as fast as without an attack that does not
 * fill the disk, the event loop and the memory of the service were within `hostileTargets`, and no attack added more to the
 * database than it may. Other load only makes times longer, so the best of several measurements counts.
 * @param token of a second customer
 * @param hold returns the longest time that the event loop was blocked since the last call, in milliseconds
 */
export async function attackAll(
  service: Service,
  token: string,
  hold: () => Promise<number>,
): Promise<boolean> {
  const customer = { url: service.url, token };
  let isHeldOff = true;
  for (const attack of attacks) {
    const look = () => asCustomer(attack, customer, hold);
    const alone = best(await several(look));
    const args = await attack.args(service);
    const memory = watchMemory(service.pid);
    const grown = await watchGrowth(service, attack.growth);
    const { measured, said } = await beside(attack.program, args, settleMs, () => several(look));
    const { held, p99, asked, refused } = best(measured);
    const megabytes = memory.stop();
    console.log(
      `${attack.name}: held ${held.toFixed(1)} ms, ${alone.held.toFixed(1)} without it; ` +
        `memory ${inWords(megabytes)}; ` +
        `another customer: ${refused} of ${asked} not answered, p99 ${p99.toFixed(1)} ms, ` +
        `${alone.p99.toFixed(1)} without it; the attacker: ${said}`,
    );
    const isBounded = await grown();
    // What bounds the rate of the attacks on the disk are limits that this benchmark raises, so their ratio is only printed.
    const isFast = attack.growth !== undefined || p99 <= hostileTargets.ratio * alone.p99;
    const isSmall = megabytes.peak <= hostileTargets.megabytes;
    isHeldOff &&= refused === 0 && isFast && isBounded && isSmall && held <= hostileTargets.holdMs;
  }
  return isHeldOff;
}

interface Look {
  /** Milliseconds. */
  held: number;
  p99: number;
  asked: number;
  refused: number;
}

async function several(look: () => Promise<Look>): Promise<Look[]> {
  const found: Look[] = [];
  for (let count = 0; count < looks; count += 1) found.push(await look());
  return found;
}

/** The minimum of each time, and the sums of the sent and the refused requests. */
function best(found: Look[]): Look {
  const sum = (of: (look: Look) => number) => found.reduce((count, look) => count + of(look), 0);
  return {
    held: Math.min(...found.map(({ held }) => held)),
    p99: Math.min(...found.map(({ p99 }) => p99)),
    asked: sum(({ asked }) => asked),
    refused: sum(({ refused }) => refused),
  };
}

async function asCustomer(
  { ask = (customer) => readAnew(customer, '/v1/locations') }: Attack,
  customer: Customer,
  hold: () => Promise<number>,
): Promise<Look> {
  const taken: number[] = [];
  let refused = 0;
  await hold();
  for (const end = performance.now() + lookMs; performance.now() < end; ) {
    const begun = performance.now();
    const status = await ask(customer);
    taken.push(performance.now() - begun);
    if (status < 200 || status > 299) refused += 1;
    // The limit of reads per second of a token.
    await sleep(pauseMs);
  }
  return { held: await hold(), p99: percentile(taken, 0.99), asked: taken.length, refused };
}

/** Uses a new connection. Throws if a successful response is not larger than `leastBytes`. */
async function readAnew({ url, token }: Customer, path: string, leastBytes = 0): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return await new Promise((resolve, reject) => {
    request(`${url}${path}`, { agent: false, headers }, (answer) => {
      const { statusCode = 0 } = answer;
      let bytes = 0;
      answer.on('data', (data) => {
        bytes += data.length;
      });
      answer.once('close', () => {
        if (statusCode === 200 && answer.complete && bytes <= leastBytes) {
          reject(new Error(`The response to ${path} has only ${bytes} bytes.`));
        }
        resolve(answer.complete ? statusCode : 0);
      });
    })
      .once('error', () => resolve(0))
      .end();
  });
}

/**
 * Returns a function that prints how much an attack has added to the database until then, and
 * returns whether that is not too much.
 */
async function watchGrowth(service: Service, growth?: Growth): Promise<() => Promise<boolean>> {
  if (!growth) return async () => true;
  const { unit, read, most } = growth;
  const begun = performance.now();
  const before = await onDatabaseOf(service, read);
  return async () => {
    const grown = (await onDatabaseOf(service, read)) - before;
    const mostNow = most(Math.ceil((performance.now() - begun) / 60_000));
    console.log(`  it added ${grown} ${unit} (target: at most ${mostNow})`);
    return grown <= mostNow;
  };
}
