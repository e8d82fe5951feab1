import { bareTransactions } from './bare-transactions.ts';
import { inParallel } from './in-parallel.ts';
import { lightClient } from './light-client.ts';
import { held, instantFleet } from './operations.ts';
import { sizeOf, wanted } from './scale.ts';
import { type Installation, withFleet } from './scale-installation.ts';
import { compare, conclude, concludeAlone, percentile } from './statistics.ts';

const defaultRounds = 3;
const clients = 16;
const creates = { at16: 150, at1: 40 };
const refusals = 1000;
const actions = 300;
/** How many statements the transaction of an action has. */
const statementsOfAction = 6;

/**
 * Measures how many changes a service accepts and refuses per second, without carrying them out: the operations are held
 * until the end. The baseline of an action is a transaction of as many statements.
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

interface Figures {
  createsPerSecond: number[];
  createMs: number[];
  createMsAlone: number[];
  refusalsPerSecond: number[];
  actionsPerSecond: number[];
  transactionsPerSecond: number[];
}

async function measure(installation: Installation, rounds: number): Promise<Figures> {
  await using baseline = await bareTransactions(installation, clients);
  using client = lightClient(installation.service, clients);
  const figures: Figures = {
    createsPerSecond: [],
    createMs: [],
    createMsAlone: [],
    refusalsPerSecond: [],
    actionsPerSecond: [],
    transactionsPerSecond: [],
  };
  const perRound = Math.min(actions, Math.floor(sizeOf(instantFleet) / (rounds + 1)));
  for (let round = 0; round <= rounds; round += 1) {
    const create = (number: number) =>
      client.post('/v1/servers', wanted(instantFleet, number), 201);
    const tooLarge = { ...wanted(instantFleet, round), cpu: 9 };
    const refuse = () => client.post('/v1/servers', tooLarge, 422);
    // Each server is started once, since a second start is refused.
    const start = (number: number) =>
      client.post(`/v1/servers/${round * perRound + number + 1}/start`, {}, 202);
    const many = await taken(creates.at16, clients, create);
    const one = await taken(creates.at1, 1, create);
    const refused = await taken(refusals, clients, refuse);
    const transactions = await baseline.perSecond(perRound, statementsOfAction);
    const started = await taken(perRound, clients, start);
    // The first round is a warm-up.
    if (round === 0) continue;
    figures.createsPerSecond.push(many.perSecond);
    figures.createMs.push(many.p50);
    figures.createMsAlone.push(one.p50);
    figures.refusalsPerSecond.push(refused.perSecond);
    figures.actionsPerSecond.push(started.perSecond);
    figures.transactionsPerSecond.push(transactions);
  }
  return figures;
}

function report(figures: Figures): boolean {
  const { createsPerSecond, createMs, createMsAlone, refusalsPerSecond } = figures;
  const names = { baseline: `${statementsOfAction} statements`, measured: 'Berth' };
  const ofActions = compare(figures.transactionsPerSecond, figures.actionsPerSecond);
  return [
    concludeAlone('Creates accepted per second, 16 clients', createsPerSecond, { least: 150 }),
    concludeAlone('A create accepted, 16 clients, median in milliseconds', createMs, { most: 60 }),
    concludeAlone('A create accepted, 1 client, median in milliseconds', createMsAlone, {
      most: 12,
    }),
    concludeAlone('Creates refused per second, 16 clients', refusalsPerSecond, { least: 1000 }),
    conclude('Actions accepted per second, 16 clients', names, ofActions, {
      of: 'ratio',
      least: 0.4,
    }),
  ].every((isMet) => isMet);
}

async function taken(count: number, atOnce: number, act: (number: number) => Promise<unknown>) {
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
