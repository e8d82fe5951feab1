import { actions } from '../../servers/actions/all.ts';
import { serverBody } from '../servers.ts';
import {
  type BadCase,
  badPasswords,
  notText,
  post,
  rebuildBody,
  type World,
} from './bad-input-cases.ts';

const invalid = { status: 422, code: 'validation_failed' };
const inProgress = {
  status: 409,
  code: 'operation_in_progress',
  answered: { 'retry-after': /^[1-9]\d*$/ },
};

/** POST requests without required fields. */
const posted = Object.values(actions)
  .filter(({ scope, route, body }) => scope !== 'admin' && !route && !requiredIn(body))
  .map(({ name }) => name);

function requiredIn(body?: { required?: string[]; anyOf?: object[] }): boolean {
  return (body?.required ?? body?.anyOf ?? []).length > 0;
}

/** Actions that the state of a server forbids, and invalid requests for actions. */
export function actionCases(world: World): BadCase[] {
  const { exceeded } = world;
  const on = (server: keyof World, action: string) => `/v1/servers/${world[server]}/${action}`;
  const forbidden = [
    ...(['started', 'paused', 'failed'] as const).map(
      (at) => [at, 'start', 'not_stopped'] as const,
    ),
    ...(['stopped', 'paused', 'failed'] as const).map((at) => [at, 'stop', 'not_running'] as const),
    ...(['stopped', 'paused', 'failed'] as const).map(
      (at) => [at, 'restart', 'not_running'] as const,
    ),
    ...(['stopped', 'paused', 'failed'] as const).map(
      (at) => [at, 'pause', 'not_running'] as const,
    ),
    ...(['started', 'stopped', 'failed'] as const).map(
      (at) => [at, 'unpause', 'not_paused'] as const,
    ),
    ...(['started', 'stopped', 'paused'] as const).map(
      (at) => [at, 'retry', 'not_failed'] as const,
    ),
  ];
  const busy = [
    ...posted.flatMap((action) =>
      (['creating', 'deleting', 'starting'] as const).map((at) => [at, action] as const),
    ),
  ];
  const resizes: [name: string, body: object, pointers: string[]][] = [
    ['without a size', {}, ['']],
    ['with allow_move alone', { allow_move: true }, ['']],
    ['with an unknown field', { cpu: 1, memory: 1 }, ['/memory']],
    ['beyond all limits', { cpu: 1000, ram: 2 ** 40, disk: 2 ** 40 }, ['/cpu', '/disk', '/ram']],
    ['to a smaller disk', { disk: 1 }, ['/disk']],
    ['with a text as allow_move', { cpu: 1, allow_move: 'yes' }, ['/allow_move']],
  ];
  const forces: [name: string, force: unknown][] = [
    ['a text', 'yes'],
    ['the text true', 'true'],
    ['a number', 1],
    ['null', null],
    ['a list', [true]],
    ['an object', {}],
  ];
  const forms = ['force=yes', 'force=2', 'force=', 'force=TRUE', 'force[]=1'];
  const formType = { 'content-type': 'application/x-www-form-urlencoded' };
  return [
    ...forbidden.map(([at, action, why]) => ({
      name: `${action} of a server that is ${at}`,
      request: post(on(at, action), {}),
      status: 409,
      code: `server_${why}`,
    })),
    ...busy.map(([at, action]) => ({
      name: `${action} of a server that is ${at}`,
      request: { method: 'POST' as const, url: on(at, action) },
      ...inProgress,
    })),
    ...(['creating', 'deleting'] as const).map((at) => ({
      name: `forced stop of a server that is ${at}`,
      request: post(on(at, 'stop'), { force: true }),
      ...inProgress,
    })),
    ...(['paused', 'failed'] as const).map((at) => ({
      name: `password of a server that is ${at}`,
      request: post(on(at, 'password'), {}),
      status: 409,
      code: 'password_not_settable',
    })),
    ...[...notText, ...badPasswords].map(([name, password]) => ({
      name: `a new password: ${name}`,
      request: post(on('started', 'password'), { password }),
      ...invalid,
      pointers: ['/password'],
    })),
    {
      name: 'a new password in the query',
      request: post(`${on('started', 'password')}?password=correct+horse`, {}),
      ...invalid,
      pointers: ['?password'],
    },
    {
      name: 'start of a server whose traffic allowance is used up',
      request: post(`/v1/servers/${exceeded.stopped}/start`, {}),
      status: 409,
      code: 'traffic_exceeded',
    },
    {
      name: 'restart of a server whose traffic allowance is used up',
      request: post(`/v1/servers/${exceeded.started}/restart`, {}),
      status: 409,
      code: 'traffic_exceeded',
    },
    {
      name: 'restart of a stopped server whose traffic allowance is used up',
      request: post(`/v1/servers/${exceeded.stopped}/restart`, {}),
      status: 409,
      code: 'traffic_exceeded',
    },
    {
      name: 'forced stop of a stopped server',
      request: post(on('stopped', 'stop'), { force: true }),
      status: 409,
      code: 'server_not_running',
    },
    ...forces.map(([name, force]) => ({
      name: `force: ${name}`,
      request: post(on('started', 'stop'), { force }),
      ...invalid,
      pointers: ['/force'],
    })),
    ...resizes.map(([name, body, pointers]) => ({
      name: `resize ${name}`,
      request: post(on('started', 'resize'), body),
      ...invalid,
      pointers,
    })),
    ...(['paused', 'failed'] as const).map((at) => ({
      name: `resize of a server that is ${at}`,
      request: post(on(at, 'resize'), { cpu: 1 }),
      status: 409,
      code: 'server_not_resizable',
    })),
    ...(['creating', 'deleting', 'starting'] as const).flatMap((at) => [
      {
        name: `resize of a server that is ${at}`,
        request: post(on(at, 'resize'), { cpu: 1 }),
        ...inProgress,
      },
      {
        name: `rebuild of a server that is ${at}`,
        request: post(on(at, 'rebuild'), rebuildBody),
        ...inProgress,
      },
    ]),
    {
      name: 'rebuild of a server whose traffic allowance is used up',
      request: post(`/v1/servers/${exceeded.stopped}/rebuild`, rebuildBody),
      status: 409,
      code: 'traffic_exceeded',
    },
    ...['yes', 'TRUE', '2', '', 'true&force=true'].map((force) => ({
      name: `?force=${force}`,
      request: post(`${on('started', 'stop')}?force=${force}`, {}),
      ...invalid,
      pointers: ['?force'],
    })),
    ...forms.map((fields) => ({
      name: `the form ${fields}`,
      request: post(on('started', 'stop'), fields, formType),
      ...invalid,
      pointers: [fields.startsWith('force[]') ? '/force[]' : '/force'],
    })),
    ...posted.flatMap((action) => [
      {
        name: `${action} with a list`,
        request: post(on('started', action), []),
        ...invalid,
        pointers: [''],
      },
      {
        name: `${action} with an unknown field`,
        request: post(on('started', action), { now: true }),
        ...invalid,
        pointers: ['/now'],
      },
      {
        name: `${action} with an unknown parameter`,
        request: post(`${on('started', action)}?now=true`, {}),
        ...invalid,
        pointers: ['?now'],
      },
      {
        name: `${action} with text`,
        request: post(on('started', action), 'now', { 'content-type': 'text/plain' }),
        status: 415,
        code: 'unsupported_media_type',
      },
      {
        name: `${action} with broken JSON`,
        request: post(on('started', action), '{"force":'),
        status: 400,
        code: 'malformed_request',
      },
    ]),
    {
      name: 'a cancel with an unknown field',
      request: post(`/v1/operations/${world.operation}/cancel`, { force: true }),
      ...invalid,
      pointers: ['/force'],
    },
    {
      name: 'a cancel with an unknown parameter',
      request: post(`/v1/operations/${world.operation}/cancel?force=true`, {}),
      ...invalid,
      pointers: ['?force'],
    },
    {
      name: 'a cancel with a list',
      request: post(`/v1/operations/${world.operation}/cancel`, []),
      ...invalid,
      pointers: [''],
    },
    {
      name: 'delete with an unknown parameter',
      request: { method: 'DELETE', url: `/v1/servers/${world.started}?force=true` },
      ...invalid,
      pointers: ['?force'],
    },
    {
      name: 'delete with text',
      request: {
        method: 'DELETE',
        url: `/v1/servers/${world.started}`,
        headers: { 'content-type': 'text/plain' },
        payload: 'now',
      },
      status: 415,
      code: 'unsupported_media_type',
    },
  ];
}

/** Routes of the API, each with a valid request. */
function everyRequest(world: World): BadCase['request'][] {
  const { started, stopped, operation, locationId, osId } = world;
  const reads = ['servers', `servers/${started}`, `servers/${started}/status`, 'operations']
    .concat([`operations/${operation}`, 'locations', `locations/${locationId}`])
    .concat(['operating-systems', `operating-systems/${osId}`]);
  return [...reads.map((path) => ({ url: `/v1/${path}` })), ...writes(world, stopped)];
}

function writes(world: World, stopped = world.stopped): BadCase['request'][] {
  return [
    post('/v1/servers', serverBody(world)),
    post('/v1/servers/dry-run', serverBody(world)),
    post(`/v1/servers/${stopped}/start`, {}),
    post(`/api/v1/servers/${world.started}/stop`, { force: true }),
    post(`/v1/servers/${world.started}/restart`, {}),
    { method: 'DELETE', url: `/api/v1/servers/${world.started}` },
  ];
}

/** Invalid credentials, media types and other headers. */
export function headerCases(world: World): BadCase[] {
  const { tokens } = world;
  const longToken = `berth_${'a'.repeat(100_000)}`;
  const credentials: [name: string, authorization: string | undefined, code: string][] = [
    ['no token', undefined, 'token_missing'],
    ['an empty header', '', 'token_missing'],
    ['another scheme', `Basic ${tokens.good}`, 'token_missing'],
    ['a token without its scheme', tokens.good, 'token_missing'],
    ['a scheme without a token', 'Bearer', 'token_missing'],
    ['a malformed token', 'Bearer 12345', 'token_malformed'],
    ['a token with a wrong checksum', `Bearer ${wrongChecksum(tokens.good)}`, 'token_malformed'],
    ['two tokens', `Bearer ${tokens.good} ${tokens.good}`, 'token_malformed'],
    ['a very long token', `Bearer ${longToken.slice(0, 8000)}`, 'token_malformed'],
    ['a token with a quote', `Bearer ${tokens.good}'`, 'token_malformed'],
    ['an unknown token', `Bearer ${tokens.unknown}`, 'token_invalid'],
    ['an expired token', `Bearer ${tokens.expired}`, 'token_expired'],
    ['a revoked token', `Bearer ${tokens.revoked}`, 'token_invalid'],
  ];
  const sample = everyRequest(world);
  const title = (request: BadCase['request']) => `${request.method ?? 'GET'} ${request.url}`;
  const withHeaders = (request: BadCase['request'], headers: object) => ({
    ...request,
    headers: { ...request.headers, ...headers },
  });
  const create = sample.find((request) => request.method === 'POST') ?? { url: '' };
  const keys = ['', 'a b', 'ключ'.replaceAll(/./g, '\xe9'), 'x'.repeat(256), 'a\tb'];
  return [
    ...credentials.flatMap(([name, authorization, code]) =>
      sample.map((request) => ({
        name: `${title(request)} with ${name}`,
        request: withHeaders(request, { authorization }),
        status: 401,
        code,
        answered: { 'www-authenticate': /^Bearer realm="berth"/ },
      })),
    ),
    ...writes(world).map((request) => ({
      name: `${title(request)} with a token that may only read`,
      request: withHeaders(request, { authorization: `Bearer ${tokens.reader}` }),
      status: 403,
      code: 'scope_missing',
      answered: { 'www-authenticate': /error="insufficient_scope", scope="servers:write"/ },
    })),
    ...[...sample, { url: '/v1/health' }].map((request) => ({
      name: `${title(request)} as text/xml`,
      request: withHeaders(request, { accept: 'text/xml' }),
      status: 406,
      code: 'not_acceptable',
    })),
    ...keys.map((key) => ({
      name: `the Idempotency-Key ${JSON.stringify(key.slice(0, 9))}`,
      request: withHeaders(create, { 'idempotency-key': key }),
      status: 400,
      code: 'malformed_request',
    })),
    ...methodCases(world),
  ];
}

function wrongChecksum(token: string): string {
  return token.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
}

function methodCases(world: World): BadCase[] {
  const server = `servers/${world.started}`;
  const rows: [method: string, path: string, allow: string][] = [
    ['PUT', 'servers', 'GET, HEAD, OPTIONS, POST'],
    ['DELETE', 'servers', 'GET, HEAD, OPTIONS, POST'],
    ['PUT', server, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['POST', server, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['POST', `${server}/status`, 'GET, HEAD, OPTIONS'],
    ['GET', `${server}/start`, 'OPTIONS, POST'],
    ['HEAD', `${server}/stop`, 'OPTIONS, POST'],
    ['DELETE', `${server}/restart`, 'OPTIONS, POST'],
    ['DELETE', `operations/${world.operation}`, 'GET, HEAD, OPTIONS'],
    ['POST', 'locations', 'GET, HEAD, OPTIONS'],
    ['PUT', `operating-systems/${world.osId}`, 'GET, HEAD, OPTIONS, PATCH'],
    ['POST', 'health', 'GET, HEAD, OPTIONS'],
  ];
  return rows.map(([method, path, allow], index) => ({
    name: `${method} ${path}`,
    request: { method: method as 'PUT', url: `${index % 2 ? '/api/v1' : '/v1'}/${path}` },
    status: 405,
    ...(method !== 'HEAD' && { code: 'method_not_allowed' }),
    answered: { allow: new RegExp(`^${allow}$`) },
  }));
}
