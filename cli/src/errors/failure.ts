import { type ExitStatus, exitStatuses } from '../exit-statuses.ts';

interface Details extends ErrorOptions {
  /** What the user can do about it. */
  hint?: string | undefined;
  status?: ExitStatus;
}

/** An error of which the user is told, without a stack. */
export class Failure extends Error {
  readonly hint: string | undefined;
  readonly status: ExitStatus;

  constructor(message: string, { hint, status = exitStatuses.failed, ...options }: Details = {}) {
    super(message, options);
    this.hint = hint;
    this.status = status;
  }
}

export const usageFailure = (message: string, hint?: string) =>
  new Failure(message, { hint, status: exitStatuses.usage });

/** Something already printed its errors: only the exit status is left. */
export class Reported extends Error {
  readonly status: number;
  /** What was printed, if similar names should be suggested for it. */
  readonly errors: readonly unknown[];

  constructor(status: number, errors: readonly unknown[] = []) {
    super(`Exit status ${status}`);
    this.status = status;
    this.errors = errors;
  }
}
