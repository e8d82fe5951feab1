/** What the exit status says. docs/cli.md has the same table, which a test compares. */
export const exitStatuses = {
  done: 0,
  failed: 1,
  usage: 2,
  not_signed_in: 3,
  not_allowed: 4,
  not_found: 5,
  conflict: 6,
  unreachable: 7,
  timeout: 8,
  not_confirmed: 9,
  interrupted: 130,
} as const;

export type ExitStatus = (typeof exitStatuses)[keyof typeof exitStatuses];
