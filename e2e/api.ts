import type { Operation } from '@berth/contract/operations';
import type { Server, ServerStatusRecord } from '@berth/contract/servers';
import { until } from '../service/src/testing/until.ts';
import { assertDeclared } from './contract.ts';

/** Reads the settings that the harness passes to the tests. */
function fromHarness(name: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} is not set: run these tests with "npm run test:e2e".`);
}

const url = () => fromHarness('BERTH_E2E_URL');
const token = () => fromHarness('BERTH_E2E_TOKEN');
/** Host and port. */
export const address = () => new URL(url()).host;
export const directory = () => fromHarness('BERTH_E2E_DIR');
export const incusSocket = () => fromHarness('BERTH_E2E_INCUS_SOCKET');
export const incusProject = () => fromHarness('BERTH_E2E_INCUS_PROJECT');
export const incusPool = () => fromHarness('BERTH_E2E_INCUS_POOL');
export const incusNetwork = () => fromHarness('BERTH_E2E_INCUS_NETWORK');

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  const response = await fetch(`${url()}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token()}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(90_000),
  });
  const text = await response.text();
  const answered = text ? JSON.parse(text) : null;
  const contentType = response.headers.get('content-type') ?? '';
  assertDeclared(method, path, { status: response.status, contentType, body: answered });
  return { status: response.status, headers: response.headers, body: answered };
}

/** The metrics in the older format of Prometheus. */
export async function metrics(): Promise<string> {
  const headers = { authorization: `Bearer ${token()}` };
  const response = await fetch(`${url()}/metrics`, { headers });
  if (!response.ok) throw new Error(`/metrics answered ${response.status}.`);
  return await response.text();
}

export interface Wish {
  name?: string;
  password?: string | undefined;
  ssh_keys?: (number | string)[];
  password_login?: boolean;
  user_data?: string;
  initialCommands?: (string | string[])[];
  cpu?: number;
  ram?: number;
  disk?: number;
  os_id?: number;
  location_id?: number;
}

/** The time for an operation on a server, on a machine with other load. */
const operationSeconds = 300;

export const password = 'Correct-Horse-9';

/** Creates a server, Debian 12 by default, and returns the first response. */
export async function create(wish: Wish = {}): Promise<Server> {
  const answer = await call<Server>('POST', '/v1/servers', {
    name: 'e2e.example.org',
    location_id: 1,
    os_id: await osId('debian-12'),
    password,
    initialCommands: [],
    cpu: 1,
    ram: 512,
    disk: 4,
    ...wish,
  });
  if (answer.status !== 201) throw new Error(`Create was refused: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export async function osId(slug: string): Promise<number> {
  const { body } = await call<{ id: number; slug: string }[]>('GET', '/v1/operating-systems');
  const found = body.find((os) => os.slug === slug);
  if (!found) throw new Error(`No operating system ${slug} is in the catalogue.`);
  return found.id;
}

export const view = async (id: number) => (await call<Server>('GET', `/v1/servers/${id}`)).body;

export const status = async (id: number) =>
  (await call<ServerStatusRecord>('GET', `/v1/servers/${id}/status`)).body;

/** Returns every status until no operation is in progress. */
export async function untilIdle(id: number): Promise<ServerStatusRecord[]> {
  const seen: ServerStatusRecord[] = [];
  const look = async () => {
    const now = await status(id);
    seen.push(now);
    return now;
  };
  await until(`the server ${id} is idle`, look, (now) => !now.is_processing, operationSeconds);
  return seen;
}

export async function untilGone(id: number): Promise<void> {
  await until(
    `the server ${id} is gone`,
    () => call('GET', `/v1/servers/${id}`),
    (answer) => answer.status === 404,
    operationSeconds,
  );
}

/** The operations of a server, with the outputs of their commands. */
export async function operations(serverId: number): Promise<Operation[]> {
  const listed = await call<Operation[]>('GET', `/v1/operations?server_id=${serverId}`);
  const whole = listed.body.map(({ id }) => call<Operation>('GET', `/v1/operations/${id}`));
  return (await Promise.all(whole)).map(({ body }) => body);
}

/** Creates a server and waits until it is set up. */
export async function created(wish: Wish = {}): Promise<Server> {
  const { id } = await create(wish);
  await untilIdle(id);
  return await view(id);
}

export async function remove(id: number): Promise<void> {
  await call('DELETE', `/v1/servers/${id}`);
  await untilGone(id);
}

export function primaryAddress(server: Server): string {
  const primary = server.ip_addresses.find((address) => address.is_primary);
  if (!primary) throw new Error('The server has no primary address.');
  return primary.ip;
}
