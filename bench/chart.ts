import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
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
  const answer = await history(server, token);
  const text = await answer.text();
  if (answer.ok) {
    writeFileSync(values.out, await drawUsage(JSON.parse(text)));
    console.log(values.out);
  } else {
    console.error(`The service answered ${answer.status}: ${text}`);
    process.exitCode = 1;
  }
}

function history(id: string, secret: string): Promise<Response> {
  const { out: _, ...window } = values;
  const path = `/v1/servers/${encodeURIComponent(id)}/usage?${new URLSearchParams(window)}`;
  return fetch(url + path, { headers: { authorization: `Bearer ${secret}` } });
}
