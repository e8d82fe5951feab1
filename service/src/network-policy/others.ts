/**
 * The URLs in `used_by` of a network that are not instances of one project: profiles, and instances
 * of others.
 */
export function othersOn(usedBy: readonly string[] | null, project: string): string[] {
  const ours = `?project=${encodeURIComponent(project)}`;
  const isOwn = (url: string) => url.startsWith('/1.0/instances/') && url.endsWith(ours);
  return (usedBy ?? []).filter((url) => !isOwn(url));
}

/** The warning for operators if others use a network with IPv6. */
export const unbounded = (network: string, others: readonly string[]) =>
  `The network ${network} is also used by ${others.join(', ')}. Therefore all of its IPv6 addresses can be reached ` +
  'from outside, and traffic to very many of them can fill the neighbour tables of its nodes. ' +
  'Remove these uses, or give the location a network and an Incus project of its own.';
