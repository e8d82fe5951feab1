import { parseArgs } from 'node:util';
import { createRandom } from '../../service/src/testing/random.ts';
import { unleash } from './chaos.ts';
import { type Target, targets, worlds } from './worlds.ts';

// npm run chaos: kills parts of a whole Berth during many requests, and checks after each kill that nothing was lost,
// duplicated or left incomplete.

const usage = `npm run chaos -- [--engine ${Object.keys(worlds).join('|')}] [--target ${targets.join('|')}|all] [--kills N] [--seed N]`;

function readPlan() {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'simulator' },
      target: { type: 'string', default: 'all' },
      kills: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    },
  });
  const world =
    Object.hasOwn(worlds, values.engine) && worlds[values.engine as keyof typeof worlds];
  const among = values.target === 'all' ? targets : targets.filter((t) => t === values.target);
  const [kills, seed] = [Number(values.kills), Number(values.seed)];
  if (
    !world ||
    among.length === 0 ||
    !Number.isSafeInteger(seed) ||
    !(kills >= 1 && kills <= 10_000)
  ) {
    return undefined;
  }
  const random = createRandom(seed);
  const list = Array.from({ length: kills }, (): Target => random.pick(among));
  return { world, engine: values.engine, seed, kills: list };
}

const plan = readPlan();
if (!plan) {
  console.error(usage);
  process.exitCode = 2;
} else {
  const { world, engine, seed, kills } = plan;
  console.log(`Chaos on the ${engine}: ${kills.length} kills, seed ${seed}`);
  await world(async (made) => {
    const figures = await unleash(made, { seed, kills, say: console.log });
    console.log(`Nothing was lost, duplicated or left over: ${JSON.stringify(figures)}`);
  });
}
