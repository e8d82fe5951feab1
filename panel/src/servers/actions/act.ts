import { berth } from '../../api/berth.ts';
import type { Server } from '../../live/apply.ts';
import { inChunks, mostAtOnce, outcomeOf, type PowerAction, words } from './actions.ts';
import { expectations, say, sayFailed } from './toasts.tsx';

type Named = Pick<Server, 'id' | 'hostname'>;

/** Carries out an action on servers, and says what has become of it. */
export async function act(action: PowerAction, servers: readonly Named[]): Promise<void> {
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

async function actOnOne(action: PowerAction, { id, hostname }: Named): Promise<void> {
  const { data } = await berth.POST(`/v1/servers/{id}/${action}`, { params: { path: { id } } });
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
  say(sentence, refusals);
}

export async function remove({ id, hostname }: Named): Promise<void> {
  const { data } = await berth.DELETE('/v1/servers/{id}', { params: { path: { id } } });
  expectations.expect(data.operation.id, { action: 'delete', hostname, serverId: id });
}
