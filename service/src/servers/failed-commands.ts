import type { CommandResult } from '../db/schema/schema.ts';

/** The numbers of the commands that failed, from 1. */
export function failedCommands(results: readonly CommandResult[] | null): number[] {
  return (results ?? []).flatMap((result, at) => (result.exit_status === 0 ? [] : [at + 1]));
}

/** "1 of its 3 initial commands failed." */
export function failedCommandsSentence(failed: number, total: number): string {
  if (total === 1) return 'Its initial command failed.';
  return `${failed} of its ${total} initial commands failed.`;
}
