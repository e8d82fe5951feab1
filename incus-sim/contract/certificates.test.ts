import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  fingerprintOf,
  presentedCertificate,
  readJoinToken,
} from '../../service/src/incus/certificates.ts';
import { createIncusClient } from '../../service/src/incus/client.ts';
import { createIdentity } from '../../service/src/location-setup/make-identity.ts';
import { failsWith } from './assertions.ts';
import type { OverHttps } from './over-https.ts';
import { cleanUpWith, useTarget } from './target.ts';

const target = useTarget();

describe('over HTTPS', () => {
  let https: OverHttps;
  before(async () => {
    https = await target.overHttps();
  });

  /** A client that Incus has never seen. */
  async function stranger() {
    const identity = await createIdentity('contract');
    const serverCert = await presentedCertificate(https.url);
    const connection = { urls: [https.url], serverCert, ...identity };
    const client = createIncusClient({ ...connection, project: target.names.project });
    cleanUpWith(() => client.close());
    return { client, fingerprint: fingerprintOf(identity.clientCert) };
  }

  it('a token has the certificate and addresses of the server', async () => {
    const token = readJoinToken(await https.issueToken());
    const presented = fingerprintOf(await presentedCertificate(https.url));
    assert.equal(token?.fingerprint, presented);
    assert.ok(token?.urls.includes(https.url), String(token?.urls));
    const { environment } = await target.client.server.info();
    assert.equal(environment.certificate_fingerprint, presented);
  });

  it('an untrusted client gets no information, and is trusted with a token, once', async () => {
    const { client, fingerprint } = await stranger();
    await assert.rejects(client.server.info(), failsWith('forbidden', /does not trust/));
    await assert.rejects(client.instances.list(), failsWith('forbidden', /not authorized/));
    const text = await https.issueToken();
    await client.certificates.trust(text);
    cleanUpWith(() => target.administrator.ask('DELETE', ['certificates', fingerprint]));
    assert.equal((await client.server.info()).environment.server_clustered, false);
    const known = await client.certificates.get(fingerprint);
    assert.deepEqual([known?.fingerprint, known?.restricted], [fingerprint, false]);
    await assert.rejects(client.certificates.trust(text), failsWith('invalid', /already trusted/));
    const { client: another } = await stranger();
    const unknown = failsWith('forbidden', /No matching certificate add operation/);
    await assert.rejects(another.certificates.trust(text), unknown);
    const nonsense = Buffer.from('{}').toString('base64');
    await assert.rejects(another.certificates.trust(nonsense), failsWith('forbidden'));
  });

  it('an expired token is refused', async () => {
    const { client } = await stranger();
    const text = await https.issueToken({ expiresIn: '1S' });
    const { expiresAt } = readJoinToken(text) ?? {};
    assert.ok(expiresAt);
    await new Promise((resolve) => setTimeout(resolve, expiresAt.getTime() - Date.now() + 50));
    await assert.rejects(client.certificates.trust(text), failsWith('failed', /Token has expired/));
  });
});
