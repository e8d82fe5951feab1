import { request } from 'node:http';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { errorFromIncus } from '../../service/src/incus/transport/errors.ts';

interface Answer {
  type: 'sync' | 'async' | 'error';
  error: string;
  error_code: number;
  operation: string;
  metadata: unknown;
}

/** Sends requests to Incus that our client does not have, and waits for their operations. */
export function administratorOn(socketPath: string, project: string) {
  async function ask(method: string, path: readonly string[], body?: unknown): Promise<unknown> {
    const url = `/1.0/${path.map(encodeURIComponent).join('/')}?project=${project}`;
    const answer = await send(method, url, body);
    if (answer.type !== 'async') return answer.metadata;
    return (await send('GET', `${answer.operation}/wait?timeout=30`)).metadata;
  }

  async function send(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await new Promise<Readable>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const asked = request({ socketPath, method, path, headers, timeout: 40_000 }, resolve);
      asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer`)));
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
    const read = (await json(answer)) as Answer;
    if (read.type === 'error') throw errorFromIncus(read.error, read.error_code);
    return read;
  }

  return {
    ask,
    /** Returns the response unchanged, without waiting for an operation. */
    send,
    /**
     * Deletes the record in the database with `incus admin sql`, which is the only way to leave a
     * disk without an instance.
     */
    async forget(instance: string): Promise<void> {
      const query = `DELETE FROM instances WHERE name = '${instance}'`;
      await send('POST', '/internal/sql', { database: 'global', query });
    },
    freeze: (instance: string) =>
      ask('PUT', ['instances', instance, 'state'], { action: 'freeze', timeout: -1 }),
    unfreeze: (instance: string) =>
      ask('PUT', ['instances', instance, 'state'], { action: 'unfreeze', timeout: -1 }),
    rename: (instance: string, name: string) => ask('POST', ['instances', instance], { name }),
    deleteAlias: (alias: string) => ask('DELETE', ['images', 'aliases', alias]),
    deletePool: (pool: string) => ask('DELETE', ['storage-pools', pool]),
  };
}
