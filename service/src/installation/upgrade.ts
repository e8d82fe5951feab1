import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SetupError } from '../../../setup/commands.mjs';
import { type Config, loadConfig } from '../config/config.ts';
import { settingsOfFile } from '../config/files.ts';
import { joinEmbeddedPostgres } from '../db/embedded/embedded.ts';
import { databaseError } from '../db/errors.ts';
import { exportDatabase } from '../db/export/export.ts';
import type { Progress } from '../db/export/row-progress.ts';
import { migrationNames } from '../db/migrate.ts';
import { type Host, link, linked, on, places, service, units, user } from './host.ts';
import { ownFolder, requireReadable } from './install-service.ts';
import { becomesReady } from './ready.ts';

export interface Upgrading {
  /** The folder of the version to run. */
  folder?: string;
  progress: Progress;
  /** The time within which a version must be ready. */
  readyMs?: number;
  now?: Date;
}

const usualReadyMs = 180_000;
const seeLog = '"journalctl -u berth" says why.';

/**
 * Makes the service run another version. Before anything is changed, the settings are checked and the database is
 * exported. If the new version does not become ready, the previous one is started again. Returns the path of the
 * export. Throws `SetupError`.
 */
export async function upgrade(host: Host, options: Upgrading): Promise<string> {
  const { folder = ownFolder, progress, readyMs = usualReadyMs, now = new Date() } = options;
  const before = requireInstalled(host);
  if (before === folder) {
    throw new SetupError(
      `The service already runs ${folder}.`,
      'Run this command in the directory of the new version.',
    );
  }
  requireReadable(folder);
  const config = settings(host);
  if (!(await becomesReady(config, readyMs))) {
    throw new SetupError('The service is not ready.', `Repair it first. ${seeLog}`);
  }
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const path = join(places.exports, `before-${basename(folder)}-${stamp}.gz`);
  host.say(`Exporting the database to ${path}`);
  await exportTo(config, on(host, path), progress);
  // To go back, the user of the service must be able to read it.
  await host.command(seeLog, 'chown', `${user}:${user}`, on(host, path));
  host.say(`${places.current} now points to ${folder}`);
  await switchTo(host, folder);
  if (await becomesReady(config, readyMs)) {
    link(host, places.previous, before);
    return path;
  }
  host.say(`${folder} did not become ready within ${readyMs / 1000} s: ${before} runs again.`);
  await switchTo(host, before);
  const isBack = await becomesReady(config, readyMs);
  throw new SetupError(
    isBack
      ? `The version in ${folder} did not start. ${before} runs again, and nothing is lost.`
      : `Neither the version in ${folder} nor the previous one becomes ready.`,
    isBack ? seeLog : `${seeLog} To go back to the export: npm run upgrade -- --import ${path}`,
  );
}

export interface GoingBack {
  /** Whether to run the version from before the last upgrade. */
  isToPrevious: boolean;
  /** An export that replaces the database. */
  imported?: string | undefined;
  readyMs?: number;
}

/**
 * Makes the service run the version from before the last upgrade, or with the database of an export, or both. The
 * current database is kept next to the imported one, which lacks all changes since the export. Returns the folder of
 * the version.
 */
export async function goBack(host: Host, options: GoingBack): Promise<string> {
  const { isToPrevious, imported, readyMs = usualReadyMs } = options;
  const now = requireInstalled(host);
  const folder = isToPrevious ? requirePrevious(host) : now;
  const config = settings(host);
  if (imported !== undefined && config.databaseUrl) {
    throw new SetupError(
      'The database is that of DATABASE_URL.',
      'Stop the service, empty that database, and import into it: npm run db -- import FILE',
    );
  }
  if (imported !== undefined) await putBack(host, folder, imported);
  if (isToPrevious) link(host, places.previous, now);
  await switchTo(host, folder);
  if (await becomesReady(config, readyMs)) return folder;
  throw new SetupError(
    `The version in ${folder} does not become ready.`,
    imported === undefined
      ? `${seeLog} If it can't use the current database, restore the export from before the upgrade: npm run upgrade -- --import FILE`
      : seeLog,
  );
}

function requirePrevious(host: Host): string {
  const previous = linked(host, places.previous);
  if (previous !== undefined && existsSync(previous)) return previous;
  throw new SetupError(
    'There is no previous version on this machine.',
    `After an upgrade, ${places.previous} is a link to it.`,
  );
}

function requireInstalled(host: Host): string {
  const current = linked(host, places.current);
  if (current !== undefined) return current;
  throw new SetupError(
    'There is no service of Berth on this machine.',
    'Install one: npm run install-service',
  );
}

function settings(host: Host): Config {
  const { variables } = settingsOfFile(on(host, places.settings));
  return loadConfig({ ...variables, BERTH_DATA_DIR: on(host, places.data) });
}

/**
 * Exports the database with the version to run. Refuses a database of a later version, with which it could not work.
 */
async function exportTo(config: Config, path: string, progress: Progress): Promise<void> {
  const embedded = config.databaseUrl ? undefined : await joinEmbeddedPostgres(config);
  try {
    const url = config.databaseUrl ?? embedded?.connectionString ?? '';
    const { schema } = await exportDatabase(url, path, progress).catch((error) => {
      throw databaseError(error, config, 'Then run the upgrade again.') ?? error;
    });
    if ((await migrationNames()).includes(schema)) return;
    throw new SetupError(
      `The database is of a later version than this one: it has the migration ${schema}.`,
      'To go back to the previous version, run "npm run upgrade -- --back".',
    );
  } finally {
    await embedded?.stop();
  }
}

/** Switches to the version in a folder, with its systemd units. */
async function switchTo(host: Host, folder: string): Promise<void> {
  link(host, places.current, folder);
  for (const unit of units) {
    const own = join(folder, 'deploy', 'systemd', unit);
    if (existsSync(own)) copyFileSync(own, on(host, `${places.units}/${unit}`));
  }
  // Each version compiles its own code into the cache, from which nothing else removes that of earlier ones.
  rmSync(on(host, `${places.cache}/compiled`), { recursive: true, force: true });
  await host.command(seeLog, 'systemctl', 'daemon-reload');
  // systemd no longer starts a service that has failed repeatedly.
  await host.command(seeLog, 'systemctl', 'reset-failed', service);
  await host.command(seeLog, 'systemctl', 'restart', service);
}

/** The file and arguments of "npm run db" in the folder of a version: releases have it in different places. */
function databaseTool(folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [program, file, ...args] = scripts.db?.split(' ') ?? [];
  if (program === 'node' && file !== undefined) return [join(folder, file), ...args];
  throw new SetupError(
    `The version in ${folder} has no "npm run db".`,
    'The directory may be incomplete.',
  );
}

async function putBack(host: Host, folder: string, path: string): Promise<void> {
  const tool = databaseTool(folder);
  const data = on(host, places.data);
  const kept = join(data, `postgres-until-${Date.now()}`);
  await host.command(seeLog, 'systemctl', 'stop', service);
  host.say(`The current database is kept in ${kept}`);
  renameSync(join(data, 'postgres'), kept);
  // A failed import can leave an empty database.
  const way = `Its reason is above. To have the database of now back: rm -rf ${data}/postgres && mv ${kept} ${data}/postgres && systemctl start ${service}`;
  const node = join(folder, 'node_modules', '.bin', 'node');
  const { variables } = settingsOfFile(on(host, places.settings));
  const env = { ...variables, BERTH_DATA_DIR: data };
  await host.asService(way, env, node, ...tool, 'import', path);
}
