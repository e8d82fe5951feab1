import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

// npm run fuzz: sends the given number of requests that are generated from the OpenAPI document.

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];
if (!Number.isSafeInteger(seed) || !(requests >= 1 && requests <= 10_000_000)) {
  console.error('npm run fuzz -- [--requests N] [--seed N]');
  process.exitCode = 2;
} else {
  console.log(`${requests} requests, seed ${seed}`);
  console.log(JSON.stringify(await fuzz({ seed, requests })));
}
