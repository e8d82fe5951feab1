/** Why a server is suspended, as a sentence. */
export const bySuspension = (reason: string) =>
  `The reason that the administrator has given: ${JSON.stringify(reason)}.`;
