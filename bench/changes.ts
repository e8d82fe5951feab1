import { bareTransactions } from './bare-transactions.ts';
import { fastifyOn } from './fastify.ts';
import { inParallel } from './in-parallel.ts';
import { lightClient } from './light-client.ts';
import { held, instantFleet } from './operations.ts';
import { sizeOf, wanted } from './scale.ts';
import { type Installation, withFleet } from './scale-installation.ts';
import { type Comparison, compare, conclude, percentile, type Target } from './statistics.ts';

const defaultRounds = 3;
const clients = 16;
const creates = { at16: 150, at1: 40 };
const refusals = 1000;
const actions = 300;
/** How many statements the transactions of a create and of an action have. */
const statements = { create: 22, action: 6 };

/**
 * Measures how many changes a service accepts and refuses per second, without carrying them out: the operations are held
 * until the end. The baseline of an accepted one is a transaction of as many statements, and that of a refused one Fastify
 * with one prepared query.
 */
export async function benchChanges(rounds = defaultRounds): Promise<boolean> {
  return await withFleet(instantFleet, async (installation) => {
    let areMet = true;
    await held(installation.db, async () => {
      const figures = await measure(installation, rounds);
      areMet = report(figures);
    });
    return areMet;
  });
}

interface Taken {
  perSecond: number;
  /** The median, in milliseconds. */
  p50: number;
}

/** What a round took of the same work, without its warm-up. */
interface Sides {
  baseline: Taken[];
  measured: Taken[];
}

interface Figures {
  creates: Sides;
  createsAlone: Sides;
  refusals: Sides;
  actions: Sides;
}

async function measure(installation: Installation, rounds: number): Promise<Figures> {
  await using bare = await bareTransactions(installation, clients);
  await using fastify = await fastifyOn(installation.superuserConnectionString);
  using plain = lightClient({ url: fastify.url, token: '' }, clients);
  using client = lightClient(installation.service, clients);
  const sides = (): Sides => ({ baseline: [], measured: [] });
  const figures: Figures = {
    creates: sides(),
    createsAlone: sides(),
    refusals: sides(),
    actions: sides(),
  };
  const perRound = Math.min(actions, Math.floor(sizeOf(instantFleet) / (rounds + 1)));
  for (let round = 0; round <= rounds; round += 1) {
    const create = (number: number) =>
      client.post('/v1/servers', wanted(instantFleet, number), 201);
    const statementsOfCreate = (number: number) => bare.transaction(number, statements.create);
    const tooLarge = { ...wanted(instantFleet, round), cpu: 9 };
    const refuse = ({ post }: typeof client) => post('/v1/servers', tooLarge, 422);
    // Each server is started once, since a second start is refused.
    const start = (number: number) =>
      client.post(`/v1/servers/${round * perRound + number + 1}/start`, {}, 202);
    const statementsOfAction = (number: number) => bare.transaction(number, statements.action);
    const rows: [Sides, Taken, Taken][] = [
      [
        figures.creates,
        await taken(creates.at16, clients, statementsOfCreate),
        await taken(creates.at16, clients, create),
      ],
      [
        figures.createsAlone,
        await taken(creates.at1, 1, statementsOfCreate),
        await taken(creates.at1, 1, create),
      ],
      [
        figures.refusals,
        await taken(refusals, clients, () => refuse(plain)),
        await taken(refusals, clients, () => refuse(client)),
      ],
      [
        figures.actions,
        await taken(perRound, clients, statementsOfAction),
        await taken(perRound, clients, start),
      ],
    ];
    // The first round is a warm-up.
    if (round === 0) continue;
    for (const [each, baseline, measured] of rows) {
      each.baseline.push(baseline);
      each.measured.push(measured);
    }
  }
  return figures;
}

function report({ creates, createsAlone, refusals, actions }: Figures): boolean {
  const create = `${statements.create} statements`;
  const all: { title: string; baseline: string; comparison: Comparison; target: Target }[] = [
    {
      title: 'Creates accepted per second, 16 clients',
      baseline: create,
      comparison: compared(creates, 'perSecond'),
      target: { of: 'measured', least: 150 },
    },
    {
      title: 'A create accepted, 16 clients, median in milliseconds',
      baseline: create,
      comparison: compared(creates, 'p50'),
      target: { of: 'measured', most: 60 },
    },
    {
      title: 'A create accepted, 1 client, median in milliseconds',
      baseline: create,
      comparison: compared(createsAlone, 'p50'),
      target: { of: 'measured', most: 12 },
    },
    {
      title: 'Creates refused per second, 16 clients',
      baseline: 'Fastify with one query',
      comparison: compared(refusals, 'perSecond'),
      target: { of: 'measured', least: 1000 },
    },
    {
      title: 'Actions accepted per second, 16 clients',
      baseline: `${statements.action} statements`,
      comparison: compared(actions, 'perSecond'),
      target: { of: 'ratio', least: 0.4 },
    },
  ];
  return all
    .map(({ title, baseline, comparison, target }) =>
      conclude(title, { baseline, measured: 'Berth' }, comparison, target),
    )
    .every((isMet) => isMet);
}

const compared = ({ baseline, measured }: Sides, field: keyof Taken): Comparison =>
  compare(
    baseline.map((one) => one[field]),
    measured.map((one) => one[field]),
  );

async function taken(
  count: number,
  atOnce: number,
  act: (number: number) => Promise<unknown>,
): Promise<Taken> {
  const milliseconds: number[] = [];
  const begun = performance.now();
  await inParallel(count, atOnce, async (number) => {
    const sent = performance.now();
    await act(number);
    milliseconds.push(performance.now() - sent);
  });
  const perSecond = (count / (performance.now() - begun)) * 1000;
  return { perSecond, p50: percentile(milliseconds, 0.5) };
}
