import {
  type Api,
  type ApiRequest,
  type CallOptions,
  errorOf,
  orNull,
  readBounded,
} from './transport/api.ts';
import { EngineError } from './transport/errors.ts';
import type { WireResponse } from './transport/transport.ts';

export interface FileOwnership {
  uid: number;
  gid: number;
  /** The permissions, such as `0o600`. */
  mode: number;
}

export type NewFile = FileOwnership &
  ({ type: 'file'; content: string | Uint8Array } | { type: 'directory' });

export interface PulledFile extends FileOwnership {
  content: Buffer;
}

export type FileCalls = ReturnType<typeof fileCalls>;

/**
 * Creates the calls for files in an instance. They work in a container also while it is stopped, but in a virtual
 * machine only through its running agent. Paths are absolute. After each call, even one that only reads, Incus writes
 * the whole pool of a container to disk (6.0, `forkfile`: `syncfs`), and a start of the instance before that has ended
 * waits for a full second.
 */
export function fileCalls(api: Api) {
  const request = (method: ApiRequest['method'], instance: string, path: string): ApiRequest => ({
    method,
    path: ['instances', instance, 'files'],
    query: { project: api.project, path },
  });

  return {
    /**
     * Creates a file or directory, or replaces the content of an existing file. The owner and mode of an existing file
     * are kept, because Incus sets these on new files only. It sets them after writing the content, so secrets need a
     * directory of mode 0700. An existing directory is not changed. Throws `not_found` if the parent is missing.
     */
    push: (instance: string, path: string, file: NewFile, options?: CallOptions): Promise<void> =>
      api.change(
        {
          ...request('POST', instance, path),
          headers: fileHeaders(file),
          body: file.type === 'file' ? file.content : '',
        },
        options,
      ),

    /**
     * Reads a file; `null` if the file or the instance does not exist. Throws `invalid` for a directory, a symlink, and
     * more than `maxBytes`, because the guest controls the path. The file is checked before it is opened, and an empty
     * one is never opened: a FIFO or a device looks empty, and Incus would block on the FIFO of a guest forever. The
     * instance could then be neither stopped nor deleted until its `forkfile` process is killed by hand.
     */
    async pull(
      instance: string,
      path: string,
      maxBytes: number,
      options?: CallOptions,
    ): Promise<PulledFile | null> {
      const look = api.read(request('HEAD', instance, path), options, (response) =>
        readLook(response, path, maxBytes),
      );
      const seen = await orNull(look);
      if (!seen) return null;
      if (seen.size === 0) return { ...seen.owner, content: Buffer.alloc(0) };
      const content = api.read(request('GET', instance, path), options, (response) =>
        readFile(response, path, maxBytes),
      );
      return await orNull(content);
    },

    /**
     * Reads the length of a file in bytes, without opening it: 0 if it has none, such as a directory; `null` if the
     * file or the instance does not exist.
     */
    size: (instance: string, path: string, options?: CallOptions): Promise<number | null> =>
      orNull(api.read(request('HEAD', instance, path), options, readSize)),

    /** Deletes a file, or an empty directory. */
    delete: (instance: string, path: string, options?: CallOptions): Promise<void> =>
      api.change(request('DELETE', instance, path), options),
  };
}

function fileHeaders(file: NewFile): Record<string, string> {
  return {
    'content-type': 'application/octet-stream',
    'x-incus-type': file.type,
    'x-incus-uid': String(file.uid),
    'x-incus-gid': String(file.gid),
    'x-incus-mode': file.mode.toString(8).padStart(4, '0'),
  };
}

function header(response: WireResponse, name: string): string {
  return String(response.headers[name] ?? '');
}

async function readLook(response: WireResponse, path: string, maxBytes: number) {
  const owner = await readOwner(response, path);
  const size = Number(response.headers['content-length'] ?? Number.NaN);
  await response.body.dump();
  if (size > maxBytes) {
    throw new EngineError('invalid', `${path} is longer than ${maxBytes} bytes`);
  }
  return { owner, size };
}

async function readSize(response: WireResponse): Promise<number> {
  if (response.statusCode >= 400) throw await errorOf(response);
  await response.body.dump();
  return Number(response.headers['content-length'] ?? 0);
}

async function readFile(
  response: WireResponse,
  path: string,
  maxBytes: number,
): Promise<PulledFile> {
  const owner = await readOwner(response, path);
  return { ...owner, content: await readBounded(response, path, maxBytes) };
}

/** Reads the owner and mode of a regular file, or of anything that looks like one. */
async function readOwner(response: WireResponse, path: string): Promise<FileOwnership> {
  if (response.statusCode >= 400) throw await errorOf(response);
  const type = header(response, 'x-incus-type');
  if (type !== 'file') {
    await response.body.dump();
    throw new EngineError('invalid', `${path} is a ${type || 'thing without a type'}`);
  }
  return {
    uid: Number(header(response, 'x-incus-uid')),
    gid: Number(header(response, 'x-incus-gid')),
    mode: Number.parseInt(header(response, 'x-incus-mode'), 8),
  };
}
