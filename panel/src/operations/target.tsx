import type { Operation } from '@berth/client';
import { NamedServer } from '../servers/named.tsx';

/** The server or the node on which an operation is carried out. */
export function TargetName({ operation: { server_id, node } }: { operation: Operation }) {
  return server_id === null ? node : <NamedServer id={server_id} />;
}
