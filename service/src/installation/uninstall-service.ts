import { existsSync, lstatSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Host, on, places, service, timer, units, user } from './host.ts';

/**
 * Undoes `installService`: nothing is started at boot any more. What there is of an installation stays:
 * its data, its settings, its exports and its servers. Answers what that is, as paths.
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
  // Files of a user that is gone are for whoever gets its number.
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

/** What of an ordinary installation stays without its service, as far as it is there. */
export function kept(host: Host): string[] {
  const paths = [places.data, places.exports, places.settings];
  return paths.filter((path) => existsSync(on(host, path)));
}

/** Removes what is left of an ordinary installation: its data, its settings, its exports. */
export function removeKept(host: Host, paths: readonly string[]): void {
  for (const path of paths) remove(host, path);
  for (const path of [places.settingsFolder, dirname(places.current)]) {
    try {
      rmdirSync(on(host, path));
    } catch (error) {
      // Somebody else has something there, or it never was.
      if (!['ENOTEMPTY', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }
}

function remove(host: Host, path: string): void {
  const own = on(host, path);
  // Also a link that leads nowhere.
  if (lstatSync(own, { throwIfNoEntry: false }) === undefined) return;
  rmSync(own, { recursive: true });
  host.say(`Removed ${own}`);
}

/** What removing a service comes to; `stays` are paths of the machine. */
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
