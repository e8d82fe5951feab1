import { type ImageFiles, imageUpload } from './image-upload.ts';
import type { Api, CallOptions, Operation } from './transport/api.ts';
import type { InstanceType } from './transport/server.ts';

export interface ImageAlias {
  name: string;
  /** The image's fingerprint. */
  target: string;
  type: InstanceType;
}

export interface Image {
  fingerprint: string;
  type: InstanceType;
  architecture: string;
  /** Bytes. */
  size: number;
  properties: Record<string, string>;
  aliases: { name: string }[];
  created_at: string;
  uploaded_at: string;
}

/** An image on a simplestreams server, such as `https://images.linuxcontainers.org`. */
export interface RemoteImage {
  server: string;
  alias: string;
  type: InstanceType;
  /** PEM; only if the certificate of the server is not signed by a public authority. */
  certificate?: string;
}

interface ImportOptions extends CallOptions {
  /** Bytes sent so far, and all of them. */
  onProgress?: (sent: number, total: number) => void;
}

/** Timeout without progress, and for the answer at the end; not for the upload as a whole. */
const uploadTimeoutSeconds = 120;

export type ImageCalls = ReturnType<typeof imageCalls>;

/** The new image's fingerprint, from the operation that imported or copied it. */
export function imageFingerprint(operation: Operation): string | undefined {
  const fingerprint = operation.metadata?.fingerprint;
  return typeof fingerprint === 'string' ? fingerprint : undefined;
}

function remoteImageBody(image: RemoteImage) {
  const { server, alias, type, certificate } = image;
  return {
    source: {
      type: 'image',
      mode: 'pull',
      protocol: 'simplestreams',
      server,
      alias,
      image_type: type,
      ...(certificate === undefined ? {} : { certificate }),
    },
    // Servers of one image must be alike: a newer image is a new catalogue entry.
    auto_update: false,
  };
}

export function imageCalls(api: Api) {
  const { project } = api;
  return {
    get: (fingerprint: string, options?: CallOptions) =>
      api.find<Image>(['images', fingerprint], { project }, options),

    getAlias: (name: string, options?: CallOptions) =>
      api.find<ImageAlias>(['images', 'aliases', name], { project }, options),

    /** Throws `already_exists`. */
    createAlias: (name: string, fingerprint: string, options?: CallOptions): Promise<void> =>
      api.change(
        {
          method: 'POST',
          path: ['images', 'aliases'],
          query: { project },
          json: { name, target: fingerprint },
        },
        options,
      ),

    /**
     * Uploads a split image from its files. `timeoutSeconds` is the timeout without progress. The
     * operation fails as `already_exists` if Incus has the same image.
     */
    async import(files: ImageFiles, options: ImportOptions = {}): Promise<Operation> {
      const upload = await imageUpload(files, options.onProgress);
      const timeoutSeconds = options.timeoutSeconds ?? uploadTimeoutSeconds;
      return api.startOperation(
        {
          method: 'POST',
          path: ['images'],
          query: { project },
          headers: upload.headers,
          body: upload.body,
        },
        { signal: options.signal, timeoutSeconds },
      );
    },

    /**
     * Downloads from a simplestreams server. The operation reports its progress, and fails as
     * `unreachable` with the `host` if that server can't be reached.
     */
    copy: (image: RemoteImage, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        { method: 'POST', path: ['images'], query: { project }, json: remoteImageBody(image) },
        options,
      ),

    delete: (fingerprint: string, options?: CallOptions): Promise<Operation> =>
      api.startOperation(
        { method: 'DELETE', path: ['images', fingerprint], query: { project } },
        options,
      ),
  };
}
