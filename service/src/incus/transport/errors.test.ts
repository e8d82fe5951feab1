import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  connectionTrouble,
  EngineError,
  type EngineErrorCode,
  errorFromConnection,
  errorFromIncus,
  failedBeforeSending,
} from './errors.ts';

/** Error messages of Incus 6.0, most of which were copied from its daemon. */
const spoken: [text: string, status: number | undefined, code: EngineErrorCode][] = [
  ['Failed to fetch instance "x" in project "p": Instance not found', 404, 'not_found'],
  ['Not Found', 404, 'not_found'],
  ['Image not provided for instance creation', undefined, 'not_found'],
  ['Network "inbr0" already exists', 409, 'already_exists'],
  ['Failed to create "instances" entry: UNIQUE constraint failed', 500, 'already_exists'],
  ['The storage pool already exists: The record already exists', 409, 'already_exists'],
  ['Image with same fingerprint already exists', undefined, 'already_exists'],
  ['Failed start: IP address "10.0.0.7" already defined on another NIC', 409, 'invalid'],
  ['Instance is busy running a "stop" operation', 500, 'busy'],
  ['The instance is already running', 500, 'busy'],
  ['The instance is already stopped', 400, 'busy'],
  ['Instance is running', 400, 'busy'],
  ['The network is currently in use', 400, 'busy'],
  ['Only empty projects can be removed.', 500, 'busy'],
  ['Metrics are currently being built by another request', 423, 'busy'],
  ['Invalid instance name: Name can only contain alphanumeric', 400, 'invalid'],
  ['Invalid devices: Failed to load network "x": Network not found', undefined, 'invalid'],
  ['Unknown configuration key: limits.cpuu', undefined, 'invalid'],
  ['Server is not clustered', 500, 'invalid'],
  ['Failed to run: btrfs subvolume create: No space left on device', undefined, 'no_space'],
  ['write /root/x: disk quota exceeded', undefined, 'no_space'],
  [
    'Use of low-level config "raw.lxc" on instance "x" of project "p" is forbidden',
    500,
    'forbidden',
  ],
  ['Reached maximum number of instances in project "p"', 500, 'forbidden'],
  ['not authorized', 403, 'forbidden'],
  ['Shutting down', 503, 'unreachable'],
  ['Target cluster member is offline', 400, 'unreachable'],
  ['Cluster member is evacuated', 403, 'unreachable'],
  [
    'Failed to begin transaction: failed to create cowsql connection: no available cowsql leader server found',
    500,
    'unreachable',
  ],
  ['Failed to begin transaction: sql: database is closed', 500, 'unreachable'],
  ["Server isn't ready yet", undefined, 'unreachable'],
  ['Missing event connection with target cluster member', 500, 'unreachable'],
  ['Failed shutting down instance, status is "Running": context deadline exceeded', 500, 'timeout'],
  ['something nobody foresaw', undefined, 'failed'],
  ['executable file not found in $PATH', undefined, 'failed'],
];

describe('the public message', () => {
  for (const [text, status] of spoken) {
    it(`does not contain the message of Incus: ${text}`, () => {
      const { publicMessage } = errorFromIncus(`${text} at /var/lib/incus/x`, status);
      assert.match(
        publicMessage,
        /^(The engine|The node|There is no space|Another instance) [a-z ]+\.$/,
      );
    });
  }
});

describe('errorFromIncus', () => {
  for (const [text, status, code] of spoken) {
    it(`${code}: ${text}`, () => assert.equal(errorFromIncus(text, status).code, code));
  }

  it('names the unreachable image server', () => {
    const error = errorFromIncus(
      'Failed getting remote image info: Failed getting image: Failed parsing stream: Get ' +
        '"https://images.linuxcontainers.org/streams/v1/index.json": lookup ' +
        'images.linuxcontainers.org on 10.0.0.53:53: no such host',
    );
    assert.equal(error.code, 'unreachable');
    assert.equal(error.retryable, true);
    assert.equal(error.host, 'images.linuxcontainers.org');
    assert.match(error.message, /^images\.linuxcontainers\.org could not be reached: /);
  });

  const hosts: [text: string, host: string | undefined][] = [
    ['Get "https://127.0.0.1:1/streams/v1/index.json": dial tcp: refused', '127.0.0.1:1'],
    ['Get "https://i.example/x": tls: failed to verify certificate: x509: unknown', 'i.example'],
    ['Unable to fetch https://i.example/streams/v1/images.json: 503 Service', 'i.example'],
    ['lookup i.example on 10.0.0.53:53: no such host', 'i.example'],
    ['lookup i.example: no such host', 'i.example'],
    ['dial unix /run/x.socket: connect: connection refused', undefined],
  ];
  for (const [text, host] of hosts) {
    it(`finds the host in: ${text}`, () => {
      const error = errorFromIncus(text);
      assert.deepEqual([error.code, error.host], ['unreachable', host]);
    });
  }

  it('does not treat a missing file on the image server as an outage', () => {
    const error = errorFromIncus('Unable to fetch https://i.example/streams/x: 404 Not Found');
    assert.equal(error.code, 'failed');
  });

  it('lets a retry depend on the code', () => {
    assert.equal(errorFromIncus('x', 400).retryable, false);
    assert.equal(errorFromIncus('x', 500).retryable, true);
    assert.equal(new EngineError('failed', 'x', { retryable: false }).retryable, false);
  });
});

function systemError(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

describe('errorFromConnection', () => {
  const codes: [string, EngineErrorCode, beforeSending: boolean][] = [
    ['ECONNREFUSED', 'unreachable', true],
    ['ENOENT', 'unreachable', true],
    ['UND_ERR_CONNECT_TIMEOUT', 'unreachable', true],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unreachable', true],
    ['ECONNRESET', 'unreachable', false],
    ['UND_ERR_SOCKET', 'unreachable', false],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'unreachable', false],
    ['EACCES', 'forbidden', false],
  ];
  for (const [code, expected, beforeSending] of codes) {
    it(`${code}: ${expected}`, () => {
      const cause = systemError(code);
      const error = errorFromConnection(cause, '/run/incus.socket');
      assert.ok(error instanceof EngineError);
      assert.equal(error.code, expected);
      assert.equal(error.cause, cause);
      assert.equal(error.where, '/run/incus.socket');
      assert.doesNotMatch(
        error.message,
        /incus\.socket/,
        'only administrators can see the address',
      );
      assert.ok(error.message.includes(code), error.message);
      assert.equal(failedBeforeSending(cause), beforeSending);
    });
  }

  it('says in words what the usual codes mean', () => {
    const closed = errorFromConnection(systemError('UND_ERR_SOCKET'), 'x') as EngineError;
    const words = 'Incus could not be reached: the connection was closed (UND_ERR_SOCKET)';
    assert.equal(closed.message, words);
    assert.equal(connectionTrouble(closed), 'the connection was closed');
    const denied = errorFromConnection(systemError('EACCES'), 'x');
    assert.equal(connectionTrouble(denied), undefined);
  });

  it('returns any other error and an EngineError unchanged', () => {
    for (const error of [new TypeError('x'), new EngineError('invalid', 'x'), 'x']) {
      assert.equal(errorFromConnection(error, 'x'), error);
    }
  });
});
