import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createSecureContext } from 'node:tls';
import { SetupError } from '../../../setup/commands.mjs';
import { clusterIn, requireNoFile } from '../db/embedded/data-directory.ts';
import type { TlsFiles } from '../edge/settings.ts';
import { fileTrouble } from '../lib/system-errors.ts';
import { attempt, type Config } from './config.ts';
import { type EnvironmentFile, readEnvironmentFile } from './environment-file.ts';
import type { Mistake } from './names.ts';
import type { SettingName } from './settings.ts';

/**
 * The settings of an environment file, as systemd reads it.
 * @throws SetupError where it can't be read
 */
export function settingsOfFile(path: string): EnvironmentFile {
  try {
    return readEnvironmentFile(readFileSync(path, 'utf8'));
  } catch (error) {
    throw unreadable(path, error, 'Name a file of settings.');
  }
}

/** Certificates that expire sooner are reported. */
const soonDays = 21;
const day = 24 * 3600 * 1000;

/**
 * Checks the files that settings name. Returns notes for people, as sentences, and mistakes with which a service would
 * not start.
 */
export function checkFiles(config: Config, now = new Date()) {
  const mistakes: Mistake[] = [];
  const look = (of: readonly SettingName[], work: () => string[]) =>
    attempt(mistakes, of, work) ?? [];
  const { tls } = config.shell;
  const { databaseUrl, dataDir } = config;
  const notes = [
    ...look(['BERTH_TLS_CERT', 'BERTH_TLS_KEY'], () =>
      tls ? checkTls(tls, namesOf(config), now) : [],
    ),
    ...look(['DATABASE_URL'], () => (databaseUrl ? checkAuthority(databaseUrl, now) : [])),
    ...look(['BERTH_DATA_DIR'], () => {
      requireNoFile(dataDir, databaseUrl ? dataDir : clusterIn(dataDir));
      return [];
    }),
    ...checkHost(config),
  ];
  return { notes, mistakes };
}

/** This is only a note, because the settings may be those of another machine, or the address may be added later. */
function checkHost({ host }: Config): string[] {
  if (!isIP(host) || ['0.0.0.0', '::'].includes(host)) return [];
  const own = new BlockList();
  for (const { address, family } of Object.values(networkInterfaces()).flatMap(
    (all) => all ?? [],
  )) {
    own.addAddress(address, family === 'IPv4' ? 'ipv4' : 'ipv6');
  }
  own.addSubnet('127.0.0.0', 8, 'ipv4');
  const [address = ''] = host.split('%');
  if (own.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')) return [];
  return [`This machine does not have the address ${host} now, which BERTH_HOST says.`];
}

/** The host names of the service that the settings contain. */
function namesOf({ publicUrl, shell }: Config): string[] {
  const names = [...shell.allowedHosts, publicUrl.hostname].map((name) =>
    name.replace(/^\[|\]$/g, ''),
  );
  return [...new Set(names)].filter((name) => name !== 'localhost');
}

function checkTls({ cert, key }: TlsFiles, names: string[], now: Date): string[] {
  const chain = read(cert, 'BERTH_TLS_CERT');
  const pair = { cert: chain, key: read(key, 'BERTH_TLS_KEY') };
  const own = certificates(chain, cert, 'BERTH_TLS_CERT')[0] as X509Certificate;
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new SetupError(
      `${key} is not the key of the certificate ${cert}: ${(error as Error).message}`,
      'BERTH_TLS_KEY must name the key of the first certificate in BERTH_TLS_CERT, in PEM.',
    );
  }
  const missing = names.filter((name) =>
    isIP(name) ? own.checkIP(name) === undefined : own.checkHost(name) === undefined,
  );
  return [
    ...ending(own, cert, now),
    ...missing.map(
      (name) => `${cert} is not for ${name}, which the settings say that Berth is called.`,
    ),
    ...(statSync(key).mode & 0o077 ? [`${key} can be read by others: chmod 600 ${key}`] : []),
  ];
}

/** Checks the certificate authority of PostgreSQL, which the URL names. */
function checkAuthority(databaseUrl: string, now: Date): string[] {
  const path = URL.parse(databaseUrl)?.searchParams.get('sslrootcert');
  if (!path || path === 'system') return [];
  const what = 'sslrootcert of DATABASE_URL';
  return certificates(read(path, what), path, what).flatMap((one) => ending(one, path, now));
}

function read(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(
      `${path}, which ${what} names,`,
      error,
      'Use a file that the user of the service can read.',
    );
  }
}

function unreadable(subject: string, error: unknown, wayOut: string): SetupError {
  const trouble = fileTrouble(error);
  const reason = trouble ? `it ${trouble.failed} (${trouble.code})` : String(error);
  return new SetupError(`${subject} can't be read: ${reason}.`, wayOut);
}

function certificates(text: string, path: string, what: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  try {
    const found = blocks.map((block) => new X509Certificate(block));
    if (found.length > 0) return found;
  } catch {
    // One that is damaged is as good as none.
  }
  throw new SetupError(
    `${path}, which ${what} names, has no certificate in PEM format.`,
    'A certificate in PEM format begins with -----BEGIN CERTIFICATE-----.',
  );
}

function ending({ validFrom, validTo }: X509Certificate, path: string, now: Date): string[] {
  const end = new Date(validTo);
  if (end < now) return [`${path} expired at ${end.toISOString()}: clients refuse it.`];
  if (new Date(validFrom) > now) {
    return [`${path} is valid from ${new Date(validFrom).toISOString()} on: is the clock right?`];
  }
  const days = Math.floor((end.getTime() - now.getTime()) / day);
  return days < soonDays ? [`${path} expires at ${end.toISOString()}, in ${days} days.`] : [];
}
