import { it } from 'node:test';
import { fuzz } from './fuzz/fuzz.ts';

// A short run, the same each time; `npm run fuzz` has longer ones.

it('no request made from the description gets a 5xx or changes what it may not', async (t) => {
  t.diagnostic(JSON.stringify(await fuzz({ seed: 1, requests: 2000 })));
});
