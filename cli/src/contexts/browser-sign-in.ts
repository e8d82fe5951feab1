import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Berth, BerthError } from '@berth/client';
import { type Cli, connectTo } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';
import type { Schemas } from '../schemas.ts';

type Codes = Schemas['DeviceAuthorization'];

const otherwise = 'Or add --token-stdin, or --email with your email address.';

/**
 * A token that somebody approves in the panel (RFC 8628). The browser can be on another machine: it shows the same code as
 * this terminal, and only this program can fetch the token.
 */
export async function tokenFromBrowser(
  { io, progress, note }: Cli,
  url: string,
  { browser }: { browser: boolean },
): Promise<string> {
  const berth = connectTo(io, progress, { url });
  const codes = await begin(berth);
  const page = pageOf(codes);
  const isOpen = browser && (await io.openBrowser(page));
  note(isOpen ? 'Your browser shows a page, otherwise open it:' : 'Open this page in a browser:');
  note(`  ${page}`);
  note(`Approve there if it shows the code ${codes.user_code}.`);
  const approved = until(berth, codes, io.signal);
  return await progress.during('Waiting until you approve in the browser', approved);
}

async function begin(berth: Berth): Promise<Codes> {
  try {
    // The longest name that the service takes.
    const body = { client_name: hostname().slice(0, 90) };
    return (await berth.POST('/v1/device-authorizations', { body })).data;
  } catch (error) {
    if (!(error instanceof BerthError) || error.code !== 'not_found') throw error;
    const message = 'This Berth has no sign-in with a browser, because it is older.';
    throw new Failure(message, { hint: otherwise });
  }
}

/** A browser must not be sent to anything but a page. */
function pageOf({ verification_url_complete: page }: Codes): string {
  if (/^https?:$/.test(new URL(page).protocol)) return page;
  throw new Failure('The service has returned something else than a page.');
}

/** Asks until somebody has approved. */
async function until(berth: Berth, codes: Codes, signal: AbortSignal): Promise<string> {
  const { device_code, interval } = codes;
  for (;;) {
    await sleep(interval * 1000, undefined, { signal });
    try {
      const body = { device_code };
      return (await berth.POST('/v1/device-authorizations/token', { body })).data.token;
    } catch (error) {
      if (!(error instanceof BerthError)) throw error;
      if (error.code !== 'authorization_pending') throw inWords(error);
    }
  }
}

function inWords(error: BerthError): Error {
  const status = exitStatuses.not_signed_in;
  if (error.code === 'authorization_denied') {
    return new Failure('It was denied in the browser.', { status });
  }
  if (error.code === 'device_code_invalid') {
    const hint = `Run the command again. ${otherwise}`;
    return new Failure('Nobody approved it within ten minutes.', { status, hint });
  }
  return error;
}
