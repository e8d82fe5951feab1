import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unleash } from './chaos.ts';
import { type Target, worlds } from './worlds.ts';

const kills: Target[] = ['service', 'engine', 'postgres', 'service', 'engine', 'postgres'];

/**
 * The time for each kill, until all requests have their responses and everything has settled. Together they are not more
 * than the longest time of a test in suites/limits.ts, after which the file is ended.
 */
const timeout = kills.length * 150_000;

/** A test of a short run, which is the same each time. `npm run chaos` has longer runs. */
export function testShortRun(world: keyof typeof worlds): void {
  it(`nothing is lost, duplicated or left over when parts of Berth are killed during many requests (${world})`, {
    timeout,
  }, async (t) => {
    await worlds[world](async (made) => {
      const figures = await unleash(made, { seed: 1, kills, say: (text) => t.diagnostic(text) });
      assert.ok(figures.accepted > 20, `${figures.accepted} requests were accepted`);
      t.diagnostic(JSON.stringify(figures));
    });
  });
}
