/** The advice for a guest that does not shut down, in operations and errors. */
export function forceAdvice(serverId: number): string {
  return `To cut its power: POST /v1/servers/${serverId}/stop?force=true.`;
}

/** The advice for a paused server. */
export function unpauseAdvice(serverId: number): string {
  return `To unpause it: POST /v1/servers/${serverId}/unpause. ${forceAdvice(serverId)}`;
}

export function pausedAdvice(serverId: number): string {
  return `The server is paused, so its guest can't hear the request. ${unpauseAdvice(serverId)}`;
}
