import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createIncusClient } from '../../service/src/incus/client.ts';
import { watchEvents } from '../../service/src/incus/events.ts';
import { selfSigned, temporaryDirectory } from '../../service/src/incus/test-server.ts';
import { failsWith } from '../contract/assertions.ts';
import { startSimulator } from '../src/simulator.ts';
import { cleanUpWith, project, until } from './setup.ts';

describe('over HTTPS', () => {
  it('serves one client, with its events, and no other', async () => {
    const directory = temporaryDirectory();
    cleanUpWith(() => directory.remove());
    const own = selfSigned(directory.file('server'));
    const trusted = selfSigned(directory.file('client'));
    const stranger = selfSigned(directory.file('stranger'));
    const simulator = await startSimulator({ listen: { ...own, clientCert: trusted.cert } });
    cleanUpWith(() => simulator.close());
    const connect = ({ cert, key }: typeof trusted) => {
      const identity = { clientCert: cert, clientKey: key, serverCert: own.cert };
      const connection = { urls: [simulator.url], ...identity };
      const client = createIncusClient({ ...connection, project, timeoutSeconds: 30 });
      cleanUpWith(() => client.close());
      return { connection, client };
    };
    const { client, connection } = connect(trusted);
    assert.equal((await client.server.info()).environment.server_version, '6.0.4');
    const { client: unknown } = connect(stranger);
    await assert.rejects(unknown.server.info(), failsWith('forbidden', /does not trust/));
    await assert.rejects(unknown.instances.list(), failsWith('forbidden', /not authorized/));

    const stopping = new AbortController();
    let isConnected = false;
    const watching = watchEvents(connection, {
      types: ['lifecycle'],
      project,
      signal: stopping.signal,
      onEvent() {},
      onConnect() {
        isConnected = true;
      },
      onDisconnect() {},
    });
    await until(() => isConnected);
    stopping.abort();
    await watching;
  });
});
