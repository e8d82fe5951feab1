import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { UsageHistory } from '@berth/contract/usage';
import { drawUsage } from './usage-chart.ts';

const usage = `Draws what a server used, as GET /v1/servers/{id}/usage has it: an SVG.

  npm run chart -- SERVER [--from TIME] [--to TIME] [--step STEP] [--out FILE]

Without times, of the last 24 hours; times, steps and their bounds are those of the API.
BERTH_TOKEN is a token of scope servers:read, BERTH_URL where the service is
(http://127.0.0.1:8080). The file is called usage.svg unless told.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    step: { type: 'string' },
    out: { type: 'string', default: 'usage.svg' },
  },
});
const [server, ...more] = positionals;
const { BERTH_TOKEN: token, BERTH_URL: url = 'http://127.0.0.1:8080' } = process.env;
if (!server || more.length > 0 || !token) {
  console.error(usage);
  process.exitCode = 2;
} else {
  writeFileSync(values.out, await drawUsage(await history(server, token)));
  console.log(values.out);
}

async function history(id: string, secret: string): Promise<UsageHistory> {
  const { out: _, ...window } = values;
  const query = new URLSearchParams(window);
  const answer = await fetch(`${url}/v1/servers/${encodeURIComponent(id)}/usage?${query}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  if (!answer.ok) throw new Error(`The service answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as UsageHistory;
}
