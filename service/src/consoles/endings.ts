/** Why a console was closed: the codes of RFC 6455, and those of docs/console.md. */
export const endings = {
  ended: [1000, "The guest's console has ended."],
  stopped: [1000, 'The server was stopped.'],
  failed: [1011, 'The console cannot be reached.'],
  stopping: [1012, 'The service restarts. Open the console again.'],
  access: [4401, 'The session or the token has ended, or lost its rights.'],
  deleted: [4404, 'The server was deleted.'],
  idle: [4408, 'Nothing was typed for an hour.'],
  taken: [4409, 'The console was opened elsewhere.'],
  slow: [4429, 'The output was read too slowly.'],
  abuse: [4429, 'A message is not of this protocol.'],
} as const satisfies Record<string, readonly [code: number, reason: string]>;

export type Ending = keyof typeof endings;
