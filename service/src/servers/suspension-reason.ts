/** Why a server is suspended, as a sentence. A reason that is a sentence itself has its own full stop. */
export const bySuspension = (reason: string) =>
  `The reason that the administrator has given: ${JSON.stringify(reason)}${/[.!?]$/.test(reason) ? '' : '.'}`;
