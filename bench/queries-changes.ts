import { randomUUID } from 'node:crypto';
import type { Service } from '../e2e/service.ts';
import { until } from '../service/src/testing/until.ts';
import { call } from './scale-installation.ts';

interface Changed {
  /** Absent if there was nothing to do. */
  operation?: { id: number; status: string };
}

type Operation = NonNullable<Changed['operation']>;

/** Sends a request that changes a server, and waits for the end of its operation. Throws if that did not succeed. */
async function change<T extends Changed>(
  service: Service,
  method: string,
  path: string,
  body: object = {},
): Promise<T> {
  const sent = { method, body: JSON.stringify(body), headers: { prefer: 'wait=60' } };
  const answer: T = JSON.parse(await call(service, path, sent));
  if (answer.operation) await untilSucceeded(service, answer.operation);
  return answer;
}

async function untilSucceeded(service: Service, { id }: Operation): Promise<void> {
  const what = `operation ${id} has ended`;
  const path = `/v1/operations/${id}`;
  const operation = await until<Operation>(
    what,
    async () => JSON.parse(await call(service, path)),
    ({ status }) => status !== 'pending' && status !== 'running',
    600,
  );
  if (operation.status !== 'succeeded') throw new Error(JSON.stringify(operation));
}

/** Has an action carried out on a server. Returns the ID of the operation. */
export async function act(
  service: Service,
  id: number,
  action: string,
  body: object = {},
): Promise<number> {
  const path = `/v1/servers/${id}/${action}`;
  const { operation } = await change(service, 'POST', path, body);
  if (!operation) throw new Error(`${path} had no operation.`);
  return operation.id;
}

/**
 * Stops and starts a server, resizes the next one and renames the one after it, and creates and deletes one. They do not
 * wait for each other.
 */
export async function changes(service: Service, id: number, wanted: object): Promise<void> {
  const stopAndStart = async () => {
    await act(service, id, 'stop');
    await act(service, id, 'start');
  };
  const resize = async () => {
    const server: { specifications: { cpu: number } } = JSON.parse(
      await call(service, `/v1/servers/${id + 1}`),
    );
    await act(service, id + 1, 'resize', { cpu: 3 - server.specifications.cpu });
  };
  const rename = () =>
    change(service, 'PATCH', `/v1/servers/${id + 2}`, { name: `bench-${randomUUID()}` });
  const createAndDelete = async () => {
    const created = await change<Changed & { id: number }>(service, 'POST', '/v1/servers', wanted);
    await change(service, 'DELETE', `/v1/servers/${created.id}`);
  };
  await Promise.all([stopAndStart(), resize(), rename(), createAndDelete()]);
}
