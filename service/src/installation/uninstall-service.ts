import { existsSync, lstatSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Host, on, places, service, timer, units, user } from './host.ts';

/**
 * Reverts `installService`, so that nothing is started at boot any more. The data, the settings, the exports and the
 * servers are kept. Returns the paths that are kept.
 */
export async function uninstallService(host: Host): Promise<string[]> {
  const byHand = 'Stop it by hand, then run this again.';
  for (const unit of [timer, service]) {
    if (existsSync(on(host, `${places.units}/${unit}`))) {
      await host.command(byHand, 'systemctl', 'disable', '--now', unit);
    }
  }
  for (const path of [
    ...units.map((unit) => `${places.units}/${unit}`),
    places.current,
    places.previous,
  ]) {
    remove(host, path);
  }
  await host.command('Reload it by hand.', 'systemctl', 'daemon-reload');
  remove(host, places.cache);
  const stays = kept(host);
  // Otherwise a new user with the same number would get these files.
  if (stays.length > 0) {
    const paths = stays.map((path) => on(host, path));
    await host.command('Give them to root by hand.', 'chown', '-R', 'root:root', ...paths);
  }
  if (host.succeeds('getent', 'passwd', user)) {
    host.say(`Removing the user ${user}`);
    await host.command(`Remove it by hand: userdel ${user}`, 'userdel', user);
  }
  return stays;
}

/** The existing paths of a standard installation that are kept when its service is removed. */
export function kept(host: Host): string[] {
  const paths = [places.data, places.exports, places.settings];
  return paths.filter((path) => existsSync(on(host, path)));
}

/** Removes the rest of a standard installation: its data, its settings and its exports. */
export function removeKept(host: Host, paths: readonly string[]): void {
  for (const path of paths) remove(host, path);
  for (const path of [places.settingsFolder, dirname(places.current)]) {
    try {
      rmdirSync(on(host, path));
    } catch (error) {
      // The folder has other files, or does not exist.
      if (!['ENOTEMPTY', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }
}

function remove(host: Host, path: string): void {
  const own = on(host, path);
  // This also finds a link whose target is missing.
  if (lstatSync(own, { throwIfNoEntry: false }) === undefined) return;
  rmSync(own, { recursive: true });
  host.say(`Removed ${own}`);
}

/** The result of the removal of a service as text. `stays` are the kept paths of the machine. */
export function removedInWords(host: Pick<Host, 'root'>, stays: readonly string[]): string {
  const isThisMachine = host.root === '/';
  const removed = isThisMachine
    ? 'The service is removed.'
    : `The files of the service below ${host.root} are removed.`;
  if (stays.length === 0) return removed;
  const paths = stays.map((path) => on(host, path));
  const kept = `${removed} Its data, exports and settings are kept: ${paths.join(', ')}.`;
  return isThisMachine
    ? `${kept} "npm run uninstall" removes all.`
    : `${kept} To remove them: rm -r ${paths.join(' ')}`;
}
