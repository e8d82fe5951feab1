import { type Api, type ApiRequest, type CallOptions, errorOf, orNull } from './api.ts';
import { EngineError } from './errors.ts';
import type { WireResponse } from './transport.ts';

export interface FileOwnership {
  uid: number;
  gid: number;
  /** As in `0o600`. */
  mode: number;
}

export type NewFile = FileOwnership &
  ({ type: 'file'; content: string | Uint8Array } | { type: 'directory' });

export interface PulledFile extends FileOwnership {
  /** A symlink is not followed: its content is its target. */
  type: 'file' | 'symlink';
  content: Buffer;
}

export type FileCalls = ReturnType<typeof fileCalls>;

/**
 * Files in an instance: of a container also while it is stopped, of a virtual machine only through
 * its running agent. Paths are absolute.
 */
export function fileCalls(api: Api) {
  const request = (method: ApiRequest['method'], instance: string, path: string): ApiRequest => ({
    method,
    path: ['instances', instance, 'files'],
    query: { project: api.project, path },
  });

  return {
    /**
     * Overwrites the content of a file that exists; its owner and mode stay, since Incus sets them
     * on new ones only, and after the content is written. Put secrets into a directory of mode 0700.
     * A directory that exists is left as it is; a missing parent is `not_found`.
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
     * `null` without such a file or instance. Throws `invalid` for a directory and for more than
     * `maxBytes`: the guest decides how long its files are.
     */
    pull: (instance: string, path: string, maxBytes: number, options?: CallOptions) =>
      orNull(
        api.read(request('GET', instance, path), options, (response) =>
          readFile(response, path, maxBytes),
        ),
      ),

    /** A directory must be empty. */
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

async function readFile(
  response: WireResponse,
  path: string,
  maxBytes: number,
): Promise<PulledFile> {
  if (response.statusCode >= 400) throw await errorOf(response);
  const type = header(response, 'x-incus-type');
  if (type !== 'file' && type !== 'symlink') {
    await response.body.dump();
    throw new EngineError('invalid', `${path} is a ${type || 'thing without a type'}`);
  }
  return {
    type,
    uid: Number(header(response, 'x-incus-uid')),
    gid: Number(header(response, 'x-incus-gid')),
    mode: Number.parseInt(header(response, 'x-incus-mode'), 8),
    content: await readBounded(response, path, maxBytes),
  };
}

async function readBounded(response: WireResponse, path: string, max: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    // Leaving the loop ends the connection, so that the rest is not sent.
    if (size > max) throw new EngineError('invalid', `${path} is longer than ${max} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
