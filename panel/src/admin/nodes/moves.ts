import type { Operation } from '@berth/client';
import { counted } from '../../format/units.ts';

export type Move = NonNullable<Operation['servers']>[number];

const most = 8;
/** The first are those that somebody has to look after. */
const order: Move['status'][] = ['failed', 'moving', 'waiting', 'moved', 'deleted'];

/** `3 of 8 servers moved, 1 stays` */
export function tallyOf(moves: readonly Move[]): string {
  const number = (status: Move['status']) => moves.filter((one) => one.status === status).length;
  const [moved, failed] = [number('moved'), number('failed')];
  const stays = failed > 0 ? `, ${failed} ${failed === 1 ? 'stays' : 'stay'}` : '';
  return `${moved} of ${counted(moves.length, 'server')} moved${stays}`;
}

export function moveWords({ status, node, reason }: Move): string {
  switch (status) {
    case 'waiting':
      return 'waits';
    case 'moving':
      return `is being moved to ${node}`;
    case 'moved':
      return `is on ${node} now`;
    case 'failed':
      return `stays. ${reason ?? ''}`.trim();
    case 'deleted':
      return 'was deleted';
  }
}

/** The moves to name, and how many others there are. */
export function worthNaming(moves: readonly Move[]) {
  const sorted = moves.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  return { named: sorted.slice(0, most), others: Math.max(0, sorted.length - most) };
}
