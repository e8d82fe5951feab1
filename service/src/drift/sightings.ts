import type { Difference } from '../servers/engine/drift.ts';

/** A difference as the last sweeps have seen it. */
export interface SeenDifference extends Difference {
  /** When it was first seen, as a timestamp. */
  since: string;
  /** Whether it was seen in two sweeps in a row. */
  confirmed: boolean;
  /** Whether an administrator has accepted it as it is. */
  forgotten: boolean;
}

/**
 * What is known of an instance after a sweep that was read at `at`. A difference counts once two sweeps in a row have
 * seen it, and as another one if the expected value has changed. One that was accepted is accepted no longer if somebody
 * has changed it again.
 */
export function seeAgain(
  before: readonly SeenDifference[],
  found: readonly Difference[],
  at: string,
): SeenDifference[] {
  return found.map((one) => {
    const known = before.find(
      ({ path, expected }) => path === one.path && expected === one.expected,
    );
    if (!known) return { ...one, since: at, confirmed: false, forgotten: false };
    const { since, forgotten } = known;
    return { ...one, since, confirmed: true, forgotten: forgotten && known.found === one.found };
  });
}

/** The differences to be shown: those that count, and of these the ones that are not accepted, if there are any. */
export function shownOf(differences: readonly SeenDifference[]): SeenDifference[] {
  const confirmed = differences.filter(({ confirmed }) => confirmed);
  const open = confirmed.filter(({ forgotten }) => !forgotten);
  return open.length > 0 ? open : confirmed;
}

/** Accepts all differences that are shown as they are. */
export function forgetShown(differences: readonly SeenDifference[]): SeenDifference[] {
  return differences.map((one) => (one.confirmed ? { ...one, forgotten: true } : one));
}

/** The columns that follow from the differences, of which there is at least one. */
export function columnsOf(differences: readonly SeenDifference[]) {
  const shown = shownOf(differences);
  const times = (shown.length > 0 ? shown : differences).map(({ since }) => since).sort();
  return {
    differences: JSON.stringify(differences),
    since: times[0] ?? '',
    is_confirmed: shown.length > 0,
    is_forgotten: shown.length > 0 && shown.every(({ forgotten }) => forgotten),
  };
}
