import { SetupError } from '../../../setup/commands.mjs';
import { nearest } from '../lib/nearest.ts';
import { type Environment, settingNames } from './settings.ts';

/** Of clients and tests of Berth, which a service may find in its environment. */
const ofOthers = /^BERTH_((TEST|E2E|CONTRACT|PROPERTY)_|TOKEN$|URL$)/;
/** Letters by which a name may differ that need not be one of Berth. */
const furthestOfOthers = 2;

/** What is wrong with the variables of these names: one of them, or all together. */
export interface Mistake {
  of: readonly string[];
  error: SetupError;
}

/** A refusal for each variable that begins as settings do and is none, with the one that was meant. */
export function unknownNames(env: Environment): Mistake[] {
  const given = Object.keys(env).filter((name) => env[name] !== undefined);
  return given
    .filter((name) => /^BERTH_/i.test(name) && !ofOthers.test(name) && !isSetting(name))
    .sort()
    .map((name) => {
      const meant = meantBy(name);
      const wayOut = meant
        ? `Did you mean ${meant}?`
        : 'Unset it. "npm run config -- show" lists all settings.';
      return { of: [name], error: new SetupError(`${name} is not a setting of Berth.`, wayOut) };
    });
}

/** Other variables whose name is almost that of a setting, with that: they may be of something else. */
export function almostSettings(env: Environment): { name: string; meant: string }[] {
  return Object.keys(env).flatMap((name) => {
    if (/^BERTH_/i.test(name) || isSetting(name) || env[name] === undefined) return [];
    const meant = nearest(name, settingNames, furthestOfOthers);
    return meant ? [{ name, meant }] : [];
  });
}

const isSetting = (name: string) => settingNames.some((known) => known === name);

/** A setting whose name is near, or the only one that has all of its words, as BERTH_DATA does of BERTH_DATA_DIR. */
function meantBy(name: string): string | undefined {
  const given = plain(name);
  const found = nearest(given, settingNames.map(plain));
  const near = settingNames.find((known) => plain(known) === found);
  const words = given.split('_');
  const [only, ...others] = settingNames.filter((known) =>
    words.every((word) => plain(known).split('_').includes(word)),
  );
  return near ?? (others.length === 0 ? only : undefined);
}

const plain = (name: string) => name.toUpperCase().replace(/^BERTH_/, '');
