import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { explain, SetupError } from '../setup/commands.mjs';
import { drawUsage } from './usage-chart.ts';

const usage = `Draws the usage of a server, as GET /v1/servers/{id}/usage returns it, as an SVG.

  npm run chart -- SERVER [--from TIME] [--to TIME] [--step STEP] [--out FILE]

Without times, it draws the last 24 hours. Times, steps and their limits are those of the API.
BERTH_TOKEN is a token of scope servers:read, BERTH_URL where the service is
(http://127.0.0.1:8080). The file is called usage.svg unless told.`;

const answersWithinMs = 60_000;
const anotherToken = 'Set BERTH_TOKEN to a token of scope servers:read that still holds.';

function readArguments() {
  try {
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
    const { out, ...window } = values;
    return server && more.length === 0 ? { server, out, window } : undefined;
  } catch {
    return undefined;
  }
}

async function ask(server: string, window: Record<string, string>, token: string) {
  const { BERTH_URL: url = 'http://127.0.0.1:8080' } = process.env;
  if (!URL.canParse(url)) throw new SetupError(`BERTH_URL is not a URL: ${url}`, 'Set it again.');
  // A value that a header can't contain would be shown in the error of `fetch`.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new SetupError('BERTH_TOKEN is not a token.', anotherToken);
  const path = `/v1/servers/${encodeURIComponent(server)}/usage?${new URLSearchParams(window)}`;
  try {
    const headers = { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(answersWithinMs);
    const answer = await fetch(url + path, { headers, signal });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    const { cause = error } = error as Error;
    const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw new SetupError(
      `No service answers at ${url} (${why}).`,
      'Start it with npm start, or set BERTH_URL to its address.',
    );
  }
}

function readHistory({ status, text }: { status: number; text: string }) {
  let body: {
    detail?: string;
    series?: unknown;
    errors?: { parameter?: string; detail: string }[];
  };
  try {
    body = JSON.parse(text);
  } catch {
    body = {};
  }
  if (status === 200 && body.series) return JSON.parse(text);
  const { detail = 'This is not a response of Berth.', errors = [] } = body;
  const details = [detail, ...errors.map((one) => `${one.parameter}: ${one.detail}`)];
  const wayOut = {
    200: 'Set BERTH_URL to where the service is.',
    401: anotherToken,
    403: anotherToken,
    404: 'GET /v1/servers lists the servers that this token can read.',
  }[status];
  throw new SetupError(
    `The service answered ${status}: ${details.join(' ')}`,
    wayOut ?? 'Run npm run chart without arguments to see the options.',
  );
}

function write(file: string, image: string): void {
  try {
    writeFileSync(file, image);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SetupError(
      `${file} can't be written (${code}).`,
      'Name a file in a directory in which you can create files: --out FILE.',
    );
  }
}

const wanted = readArguments();
const { BERTH_TOKEN: token } = process.env;
if (!wanted || !token) {
  console.error(usage);
  process.exitCode = 2;
} else {
  try {
    const history = readHistory(await ask(wanted.server, wanted.window, token));
    write(wanted.out, await drawUsage(history));
    console.log(wanted.out);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    explain(error);
    process.exitCode = 1;
  }
}
