import type { components } from '@berth/client';

type Node = components['schemas']['Node'];
type Location = components['schemas']['Location'];

/** What the status of a node means, and what to do about it; nothing for one that accepts servers. */
export function explanationOf({ status }: Node, location: Location | undefined): string[] {
  switch (status) {
    case 'online':
      return [];
    case 'offline':
      return [
        location && !location.reachable
          ? `Its location cannot be reached: ${location.unreachable_reason ?? 'it does not answer.'}`
          : 'It does not answer, or its cluster says that it is offline.',
        'Operations on its servers wait until it answers. Look whether the machine runs, and whether Incus does.',
      ];
    case 'cordoned':
      return ['It gets no new servers. Its servers keep running.'];
    case 'evacuated':
      return ['It was taken out of service, and can be switched off. Restore it to use it again.'];
    case 'gone':
      return ['It is no longer a member of its cluster, and servers are still recorded on it.'];
    case 'lost':
      return ['It was declared lost. Its servers can be rebuilt or deleted.'];
  }
}

/** What can be done with a node. The service decides; this only hides what it would refuse. */
export function allowedOn(node: Node, isClustered: boolean, hasEvacuation: boolean) {
  const { status, cordoned } = node;
  const exists = status !== 'lost' && status !== 'gone';
  const answers = exists && status !== 'offline';
  return {
    cordon: exists && !cordoned,
    uncordon: exists && cordoned && status !== 'evacuated',
    evacuate: isClustered && answers && status !== 'evacuated',
    restore: isClustered && answers && (status === 'evacuated' || hasEvacuation),
    declareLost: isClustered && (status === 'offline' || status === 'gone'),
  };
}
