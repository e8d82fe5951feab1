import { type ImageFiles, imageUpload } from './image-upload.ts';
import type { Api, CallOptions, Operation } from './transport/api.ts';
import type { InstanceType } from './transport/server.ts';

export interface ImageAlias {
  name: string;
  /** The fingerprint of the image. */
  target: string;
  type: InstanceType;
}

export interface Image {
  fingerprint: string;
  type: InstanceType;
  architecture: string;
  /** The size in bytes. */
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
  /** The certificate of the server (PEM), if it is not signed by a public authority. */
  certificate?: string;
}

interface ImportOptions extends CallOptions {
  /** Receives the number of sent bytes, and of all bytes. */
  onProgress?: (sent: number, total: number) => void;
}

/** The timeout without progress, and for the response at the end, but not for the whole upload. */
const uploadTimeoutSeconds = 120;

export type ImageCalls = ReturnType<typeof imageCalls>;

/** Finds the fingerprint of the new image in the operation that imported or copied it. */
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
    // Servers of one image must be equal, so a newer image is a new entry of the catalogue.
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

    /** Creates an alias of an image. Throws `already_exists`. */
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
     * Uploads a split image from its files. `timeoutSeconds` is the timeout without progress. The operation fails with
     * `already_exists` if Incus already has the image.
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
     * Downloads an image from a simplestreams server. The operation reports its progress, and fails with `unreachable`
     * and the `host` if that server is unreachable.
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
