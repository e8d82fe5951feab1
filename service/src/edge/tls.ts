import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { SetupError } from '../../../setup/commands.mjs';
import { serialised } from '../lib/serialised.ts';
import type { TlsFiles } from './settings.ts';

const lookEveryMs = 2000;

/** A certificate and its key, which are reloaded when their files change. */
export interface Tls {
  context(): SecureContextOptions;
  /** Gives a server each new pair. Open connections keep theirs. */
  follow(server: Server): void;
  stop(): void;
}

/** Throws `SetupError` if the files can't be used. */
export async function openTls(files: TlsFiles, log: Logger, everyMs = lookEveryMs): Promise<Tls> {
  let seen = await readPair(files).catch(refuse);
  let context = await checked(seen).catch(refuse);
  let complained = '';
  const servers: TlsServer[] = [];
  const looking = serialised(look, complain);
  const timer = setInterval(() => looking.run('files'), everyMs).unref();

  // Compares contents, because links and copies may keep their times.
  async function look(): Promise<void> {
    const pair = await readPair(files);
    if (pair.cert !== seen.cert || pair.key !== seen.key) {
      seen = pair;
      context = await checked(pair);
      for (const server of servers) server.setSecureContext(context);
      log.info('The new TLS certificate is in use.');
      complained = '';
    }
  }

  function complain(error: unknown): void {
    if (complained === String(error)) return;
    complained = String(error);
    log.error(
      { err: error },
      'The new TLS certificate or key is invalid. The old ones stay in use.',
    );
  }

  return {
    context: () => context,
    follow(server) {
      if (server instanceof TlsServer) servers.push(server);
    },
    stop: () => clearInterval(timer),
  };
}

async function readPair({ cert, key }: TlsFiles): Promise<{ cert: string; key: string }> {
  return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
}

/** Throws if the key does not belong to the certificate. */
async function checked(pair: { cert: string; key: string }): Promise<SecureContextOptions> {
  const context = { ...pair, minVersion: 'TLSv1.2' } as const;
  createSecureContext(context);
  return context;
}

function refuse(error: Error): never {
  throw new SetupError(
    `The TLS certificate or its key can't be used: ${error.message}`,
    'BERTH_TLS_CERT and BERTH_TLS_KEY must name a certificate (with its chain) and its key, in PEM.',
  );
}
