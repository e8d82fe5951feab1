import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { EngineError } from './transport/errors.ts';
import type { InstanceType } from './transport/server.ts';

/** The files of a split image: the archive with `metadata.yaml`, and the root file system. */
export interface ImageFiles {
  type: InstanceType;
  metadataPath: string;
  /** The path of a squashfs or tar file for a container, or of a qcow2 file for a virtual machine. */
  rootfsPath: string;
}

interface Part {
  head: Buffer;
  path: string;
  size: number;
}

interface ImageUpload {
  headers: Record<string, string>;
  /** Creates the body from the files, and calls `touch` with each chunk. */
  body: (touch: () => void) => Readable;
}

type Progress = (sent: number, total: number) => void;

/**
 * Creates the body of `POST /1.0/images` for a split image. Incus reads exactly two parts in this order: `metadata`,
 * and then `rootfs` (container) or `rootfs.img` (virtual machine), which also determines the type. Throws `invalid` for
 * a file that can't be read.
 */
export async function imageUpload(files: ImageFiles, onProgress?: Progress): Promise<ImageUpload> {
  const boundary = randomUUID();
  const rootfs = files.type === 'container' ? 'rootfs' : 'rootfs.img';
  const parts = [
    await part(boundary, 'metadata', files.metadataPath),
    await part(boundary, rootfs, files.rootfsPath),
  ];
  const tail = Buffer.from(`--${boundary}--\r\n`);
  const sizes = parts.map(({ head, size }) => head.length + size + lineEnd.length);
  const total = sizes.reduce((sum, size) => sum + size, tail.length);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(total),
    },
    body: (touch) =>
      Readable.from(
        counted(chunks(parts, tail), (sent) => {
          touch();
          onProgress?.(sent, total);
        }),
        { objectMode: false },
      ),
  };
}

const lineEnd = Buffer.from('\r\n');

async function part(boundary: string, name: string, path: string): Promise<Part> {
  const file = encodeURIComponent(basename(path));
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${name}"; filename="${file}"`,
    'Content-Type: application/octet-stream',
    '\r\n',
  ];
  return { head: Buffer.from(head.join('\r\n')), path, size: await fileSize(path) };
}

async function fileSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (cause) {
    throw new EngineError('invalid', `The image file ${path} can't be read`, { cause });
  }
}

async function* chunks(parts: Part[], tail: Buffer): AsyncGenerator<Buffer> {
  for (const { head, path } of parts) {
    yield head;
    yield* createReadStream(path, { highWaterMark: 256 * 1024 });
    yield lineEnd;
  }
  yield tail;
}

async function* counted(
  source: AsyncIterable<Buffer>,
  onSent: (sent: number) => void,
): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const chunk of source) {
    yield chunk;
    // The next chunk was requested, so this one is being sent.
    sent += chunk.length;
    onSent(sent);
  }
}
