import type { components } from '@berth/client';
import { berth } from '../../api/berth.ts';
import type { Server } from '../../live/apply.ts';
import {
  type Action,
  inChunks,
  mostAtOnce,
  mustForce,
  outcomeOf,
  type PowerAction,
  words,
} from './actions.ts';
import { expectations, sayBegun, sayFailed, sayManyBegun } from './toasts.tsx';

type Named = Pick<Server, 'id' | 'hostname'>;
/** What an action is carried out on. */
export type Target = Named & Pick<Server, 'status'>;

/** Carries out an action on servers, and says what has become of it. */
export async function act(action: PowerAction, servers: readonly Target[]): Promise<void> {
  const [server] = servers;
  if (!server) return;
  try {
    if (servers.length === 1) await actOnOne(action, server);
    else await actOnAll(action, servers);
  } catch (error) {
    const what = servers.length === 1 ? server.hostname : 'the servers';
    sayFailed(`${words[action].name} ${what}`, error);
  }
}

async function actOnOne(action: PowerAction, server: Target): Promise<void> {
  const { id, hostname } = server;
  const params = { path: { id } };
  const { data } = mustForce(action, server)
    ? await berth.POST('/v1/servers/{id}/stop', { params, body: { force: true } })
    : await berth.POST(`/v1/servers/{id}/${action}`, { params });
  expectations.expect(data.operation.id, { action, hostname, serverId: id });
}

async function actOnAll(action: PowerAction, servers: readonly Named[]): Promise<void> {
  const answers = [];
  for (const some of inChunks(servers, mostAtOnce)) {
    const body = { action, ids: some.map(({ id }) => id) };
    const { data } = await berth.POST('/v1/servers/actions', { body });
    answers.push(data);
  }
  const { sentence, refusals } = outcomeOf(action, answers);
  sayManyBegun(sentence, refusals);
}

/** Says what a request has begun, and later how it has ended. */
export function announce(
  action: Action,
  { id, hostname }: Named,
  { message, operation }: Pick<components['schemas']['Accepted'], 'message' | 'operation'>,
): void {
  sayBegun(hostname, message, operation.id);
  expectations.expect(operation.id, { action, hostname, serverId: id });
}

export async function remove({ id, hostname }: Named): Promise<void> {
  const { data } = await berth.DELETE('/v1/servers/{id}', { params: { path: { id } } });
  expectations.expect(data.operation.id, { action: 'delete', hostname, serverId: id });
}
