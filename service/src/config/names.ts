import { SetupError } from '../../../setup/commands.mjs';
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
      const meant = nearest(name, furthest);
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
    const meant = nearest(name, 2);
    return meant ? [{ name, meant }] : [];
  });
}

const isSetting = (name: string) => settingNames.some((known) => known === name);

function nearest(name: string, within: number): string | undefined {
  const wanted = name.toUpperCase();
  const rated = settingNames.map((known) => ({
    known,
    // What is said twice, such as BERTH_DATABASE_URL, is near as well.
    far: wanted === `BERTH_${known}` ? 0 : distance(wanted, known),
  }));
  const [best] = rated.sort((a, b) => a.far - b.far);
  return best && best.far <= within ? best.known : undefined;
}

/** How many letters have to be put in, left out, changed or swapped with the next one. */
function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped =
        i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      rows[i]?.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
