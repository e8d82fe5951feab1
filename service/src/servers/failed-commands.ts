import type { CommandResult, UserDataReport } from '../db/schema/schema.ts';

/** The indexes of the commands that failed, from 0, as in `commands[].index` of the operation. */
export function failedCommands(results: readonly CommandResult[] | null): number[] {
  return (results ?? []).flatMap((result, at) => (result.exit_status === 0 ? [] : [at]));
}

/** A sentence, for example "1 of its 3 initial commands failed." */
export function failedCommandsSentence(failed: number, total: number): string {
  if (total === 1) return 'Its initial command failed.';
  return `${failed} of its ${total} initial commands failed.`;
}

/**
 * A clause, for example "its initial commands with the indexes 0, 2 failed; see commands";
 * undefined if none failed.
 */
export function failedIndexes(failed: readonly number[]): string | undefined {
  if (failed.length === 0) return undefined;
  const isOne = failed.length === 1;
  const which = isOne ? 'command with the index' : 'commands with the indexes';
  return `its initial ${which} ${failed.join(', ')} failed; see commands`;
}

/** A clause about user data that was not carried out without errors; undefined if it was. */
export function userDataClause(report: UserDataReport | null | undefined): string | undefined {
  return report ? clauses[report.status] : undefined;
}

const clauses: Record<UserDataReport['status'], string | undefined> = {
  done: undefined,
  // Its operation says so.
  running: undefined,
  // Of anything, and not only of what is invalid in its user data.
  degraded: 'cloud-init reports warnings',
  error: 'cloud-init reports errors in its user data',
  unknown: 'it is unknown whether cloud-init carried out its user data',
};
