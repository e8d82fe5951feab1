import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unleash } from './chaos/chaos.ts';
import { type Target, worlds } from './chaos/worlds.ts';

// A short storm, the same each time; `npm run chaos` has longer ones.

const kills: Target[] = ['service', 'engine', 'postgres', 'service', 'engine', 'postgres'];

/** For each kill: until all have their answers, and all is settled. */
const timeout = kills.length * 6 * 60_000;

it('nothing is lost, duplicated or left over when parts are killed during a storm', {
  timeout,
}, async (t) => {
  await worlds.simulator(async (world) => {
    const figures = await unleash(world, { seed: 1, kills, say: (text) => t.diagnostic(text) });
    assert.ok(figures.accepted > 20, `${figures.accepted} requests were accepted`);
    t.diagnostic(JSON.stringify(figures));
  });
});
