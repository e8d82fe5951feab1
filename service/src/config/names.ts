import { SetupError } from '../../../setup/commands.mjs';
import { nearest } from '../lib/nearest.ts';
import { type Environment, settingNames } from './settings.ts';

/** Of clients and tests of Berth, which a service may find in its environment. */
const ofOthers = /^BERTH_((TEST|E2E|CONTRACT|PROPERTY)_|TOKEN$|URL$)/;
/** Letters by which a name may differ from the one that was meant. */
const furthest = 3;

/** A refusal for each variable that begins as settings do and is none, with the one that was meant. */
export function unknownNames(env: Environment): SetupError[] {
  const given = Object.keys(env).filter((name) => env[name] !== undefined);
  return given
    .filter((name) => /^BERTH_/i.test(name) && !ofOthers.test(name) && !isSetting(name))
    .sort()
    .map((name) => {
      const meant = meantBy(name, furthest);
      const wayOut = meant
        ? `Did you mean ${meant}?`
        : 'Unset it. "npm run config -- show" lists all settings.';
      return new SetupError(`${name} is not a setting of Berth.`, wayOut);
    });
}

/** Other variables whose name is almost that of a setting, with that: they may be of something else. */
export function almostSettings(env: Environment): { name: string; meant: string }[] {
  return Object.keys(env).flatMap((name) => {
    if (/^BERTH_/i.test(name) || isSetting(name) || env[name] === undefined) return [];
    const meant = meantBy(name, 2);
    return meant ? [{ name, meant }] : [];
  });
}

const isSetting = (name: string) => settingNames.some((known) => known === name);

function meantBy(name: string, within: number): string | undefined {
  // What is said twice, such as BERTH_DATABASE_URL, is near as well.
  const twice = settingNames.find((known) => name.toUpperCase() === `BERTH_${known}`);
  return twice ?? nearest(name, settingNames, within);
}
