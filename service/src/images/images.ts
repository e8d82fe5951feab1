import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageSource, OperatingSystemType } from '../db/schema/schema.ts';
import type { IncusClient } from '../incus/client.ts';
import { imageFingerprint } from '../incus/images.ts';
import type { Operation } from '../incus/transport/api.ts';
import { withDeadline } from '../incus/transport/deadline.ts';
import { EngineError, isEngineError } from '../incus/transport/errors.ts';
import { isImageServerAllowed, notAnImageServer } from '../operating-systems/image-servers.ts';
import { buildDebian, debianRecipe, type OnProgress } from './build-debian.ts';
import { keptOrBuilt } from './cache.ts';
import { ProgramFailed } from './child.ts';

/** The directories in which images are built and cached. */
export interface ImageDirectories {
  /** Emptied at each start. */
  work: string;
  /** The cache of built images, for a week; undefined disables it. */
  cache?: string | undefined;
}

/** The directories that the settings of the service name. */
export function imageDirectoriesOf(config: {
  dataDir: string;
  cacheDir: string;
}): ImageDirectories {
  return { work: join(config.dataDir, 'images'), cache: join(config.cacheDir, 'images') };
}

export interface ImageRequest {
  incus: IncusClient;
  /** `certificate` (PEM) is for an image server without one of a public authority. */
  os: {
    slug: string;
    name: string;
    type: OperatingSystemType;
    source: ImageSource & { certificate?: string };
  };
  /** The image servers that are allowed, as `readImageServer` returns them. */
  imageServers: readonly string[];
  directories: ImageDirectories;
  onProgress: OnProgress;
  signal?: AbortSignal;
  /** After so long without data, a download is aborted. */
  stallSeconds?: number;
}

/** The error for an image server that can't be reached, or that stopped responding. This may be temporary. */
export class ImageServerUnreachable extends EngineError {
  declare readonly host: string;

  constructor(host: string, reason: string, cause: unknown) {
    const message = `The image server ${host} can't be reached: ${reason}`;
    // The reason may be a message of Incus.
    const publicMessage = `The image server ${host} can't be reached.`;
    super('unreachable', message, { host, cause, publicMessage });
    this.name = 'ImageServerUnreachable';
  }
}

/**
 * The error for an image server that was removed from the list, or whose operating system was added before there was a
 * list.
 */
export class ImageServerNotAllowed extends EngineError {
  constructor(server: string) {
    super('forbidden', notAnImageServer(server));
    this.name = 'ImageServerNotAllowed';
  }
}

type Wanted = ImageRequest & { signal: AbortSignal };

const longestSeconds = 3600;
/** The share of the build in a build with its import. */
const buildShare = 0.9;

/** The ends of the requests in progress, by location and image, so that each image is downloaded once at a time. */
const underWay = new WeakMap<IncusClient, Map<string, Promise<unknown>>>();

/** Returns the fingerprint of the image of an operating system, which is first built or downloaded if necessary. */
export async function ensureImage(request: ImageRequest): Promise<{ fingerprint: string }> {
  const { incus, os, signal = new AbortController().signal } = request;
  const alias = imageAlias(os.slug);
  for (;;) {
    const there = await incus.images.getAlias(alias, { signal });
    if (there) return { fingerprint: there.target };
    const others = queueOf(incus).get(alias);
    if (!others) break;
    await endedOrAborted(others, signal);
  }
  return { fingerprint: await queued(incus, alias, () => get({ ...request, signal }, alias)) };
}

export function imageAlias(slug: string): string {
  return `berth-${slug}`;
}

function queueOf(incus: IncusClient): Map<string, Promise<unknown>> {
  const queue = underWay.get(incus) ?? new Map<string, Promise<unknown>>();
  underWay.set(incus, queue);
  return queue;
}

async function queued<T>(incus: IncusClient, alias: string, work: () => Promise<T>): Promise<T> {
  const working = work();
  // Others that wait check again whatever the result is; the caller gets the error.
  const ended = working.then(
    () => {},
    () => {},
  );
  queueOf(incus).set(alias, ended);
  try {
    return await working;
  } finally {
    queueOf(incus).delete(alias);
  }
}

async function endedOrAborted(ended: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const abort = () => resolve();
  signal.addEventListener('abort', abort, { once: true });
  await Promise.race([ended, promise]);
  signal.removeEventListener('abort', abort);
  signal.throwIfAborted();
}

async function get(request: Wanted, alias: string): Promise<string> {
  const { source } = request.os;
  const fingerprint = 'build' in source ? await build(request) : await pull(request, source);
  return await nameImage(request.incus, alias, fingerprint, request.signal);
}

/** If another replica was first, its image is used. */
async function nameImage(
  incus: IncusClient,
  alias: string,
  fingerprint: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    await incus.images.createAlias(alias, fingerprint, { signal });
    return fingerprint;
  } catch (error) {
    if (!isEngineError(error, 'already_exists')) throw error;
    const first = await incus.images.getAlias(alias, { signal });
    if (!first) throw error;
    if (first.target !== fingerprint) await incus.images.delete(fingerprint, { signal });
    return first.target;
  }
}

async function build({ incus, os, directories, onProgress, signal }: Wanted): Promise<string> {
  await mkdir(directories.work, { recursive: true });
  const folder = await mkdtemp(join(directories.work, 'image-'));
  try {
    const report: OnProgress = (fraction, doing) =>
      onProgress(buildShare * fraction, `building ${os.name}: ${doing}`);
    const files = await keptOrBuilt(
      directories.cache,
      await debianRecipe(signal),
      () => buildDebian({ workDir: folder, onProgress: report, signal }),
      (text) => report(0, text),
    );
    const operation = await incus.images.import(
      { ...files, type: os.type },
      {
        signal,
        onProgress: (sent, total) =>
          onProgress(buildShare + ((1 - buildShare) * sent) / total, `storing ${os.name}`),
      },
    );
    return await fingerprintOf(incus, operation, signal, () => {});
  } catch (error) {
    throw error instanceof ProgramFailed ? buildFailed(os.name, error) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The output of the program is only for the log, which prints the cause. */
function buildFailed(name: string, cause: ProgramFailed): EngineError {
  const [reason] = cause.message.split(':\n', 1);
  return new EngineError('failed', `The image of ${name} could not be built: ${reason}`, { cause });
}

type PulledSource = Extract<ImageRequest['os']['source'], { server: string }>;

async function pull(request: Wanted, source: PulledSource): Promise<string> {
  const { incus, os, signal, imageServers, stallSeconds = 30 } = request;
  if (!isImageServerAllowed(source.server, imageServers)) {
    throw new ImageServerNotAllowed(source.server);
  }
  const what = `Downloading ${source.alias}`;
  try {
    return await withDeadline({ what, timeoutSeconds: stallSeconds, signal }, (inTime, touch) =>
      download(incus, source, os, inTime, ({ fraction, text }) => {
        touch();
        request.onProgress(fraction ?? 0, `downloading ${os.name}: ${text}`);
      }),
    );
  } catch (error) {
    throw signal.aborted ? error : pullFailed(error, source, stallSeconds);
  }
}

type Report = (progress: { fraction?: number; text: string }) => void;

async function download(
  incus: IncusClient,
  { server, alias, certificate }: PulledSource,
  { type }: { type: OperatingSystemType },
  signal: AbortSignal,
  report: Report,
): Promise<string> {
  const image = { server, alias, type, ...(certificate !== undefined && { certificate }) };
  const operation = await incus.images.copy(image, { signal });
  return await fingerprintOf(incus, operation, signal, report);
}

async function fingerprintOf(
  incus: IncusClient,
  started: Operation,
  signal: AbortSignal,
  onProgress: Report,
): Promise<string> {
  const options = { signal, onProgress, timeoutSeconds: longestSeconds };
  const ended = await incus.operations.wait(started.id, options);
  const fingerprint = ended.outcome === 'succeeded' ? imageFingerprint(ended.operation) : undefined;
  if (fingerprint === undefined) {
    throw new EngineError('failed', 'Incus lost track of storing the image, as at its restart.');
  }
  return fingerprint;
}

function pullFailed(error: unknown, source: PulledSource, stallSeconds: number): unknown {
  const host = new URL(source.server).host;
  if (isEngineError(error, 'timeout')) {
    return new ImageServerUnreachable(host, `it sent nothing for ${stallSeconds} s`, error);
  }
  // Without a host it is Incus itself that can't be reached.
  if (isEngineError(error, 'unreachable') && error.host !== undefined) {
    // The last part of the message of Incus is the reason. The parts before it repeat what failed.
    return new ImageServerUnreachable(host, error.message.split(': ').at(-1) ?? '', error);
  }
  if (isEngineError(error, 'not_found')) {
    const message = `The image server ${host} has no image ${source.alias} for this machine.`;
    return new EngineError('not_found', message, { cause: error });
  }
  return error;
}
