import { SetupError } from '../../../setup/commands.mjs';
import { nearest } from '../lib/nearest.ts';
import { type Environment, settingNames } from './settings.ts';

/** Variables of clients and tests of Berth, which can be in the environment of a service. */
const ofOthers = /^BERTH_((TEST|E2E|CONTRACT|PROPERTY)_|TOKEN$|URL$)/;
/** The maximum number of different letters for names that do not begin with `BERTH_`. */
const furthestOfOthers = 2;

/** An error of the variables with these names, alone or together. */
export interface Mistake {
  of: readonly string[];
  error: SetupError;
}

/**
 * An error for each variable that begins with `BERTH_` and is not a setting, with the setting that was probably meant.
 */
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

/**
 * Other variables with almost the name of a setting, which may belong to other programs, and the names of these
 * settings.
 */
export function almostSettings(env: Environment): { name: string; meant: string }[] {
  return Object.keys(env).flatMap((name) => {
    if (/^BERTH_/i.test(name) || isSetting(name) || env[name] === undefined) return [];
    const meant = nearest(name, settingNames, furthestOfOthers);
    return meant ? [{ name, meant }] : [];
  });
}

const isSetting = (name: string) => settingNames.some((known) => known === name);

/** The setting with a similar name, or the only one with all of its words: BERTH_DATA means BERTH_DATA_DIR. */
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
