import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createIncusClient, type IncusClient } from '../../service/src/incus/client.ts';
import { administratorOn } from './administrator.ts';
import { listenOverHttps, type OverHttps } from './over-https.ts';
import { startSimulated } from './simulated.ts';

/** The Incus on which the contract is tested: the simulated one, or a given real one. */
export interface Target {
  socketPath: string;
  names: { project: string; pool: string; network: string };
  client: IncusClient;
  /** Requests that an administrator sends by hand, and our client never does. */
  administrator: ReturnType<typeof administratorOn>;
  /** The image's fingerprint. */
  image: string;
  /** Makes a guest that has never been started ignore requests to shut down. */
  makeDeaf(instance: string): Promise<void>;
  /** Whether root in a running guest is allowed an `ioctl` of btrfs that creates a subvolume. */
  mayAskBtrfs(instance: string, ioctl: string): Promise<boolean>;
  /** Deletes the record of a stopped instance, and keeps its disk. */
  forget(instance: string): Promise<void>;
  overHttps(): Promise<OverHttps>;
}

export interface Place {
  socketPath: string;
  names: Target['names'];
  /** Fingerprint or alias. */
  image: string;
  makeDeaf?: (instance: string) => Promise<void>;
  mayAskBtrfs?: (instance: string, ioctl: string) => Promise<boolean>;
  forget?: (instance: string) => Promise<void>;
  overHttps?: () => Promise<OverHttps>;
  close(): Promise<void>;
}

const cleanups: (() => Promise<unknown>)[] = [];

/** Undone in reverse order when the tests of the file have ended, even if they failed. */
export function cleanUpWith(undo: () => Promise<unknown>): void {
  cleanups.push(undo);
}

/** A name that no other test uses. */
export const newName = (what: string) => `contract-${what}-${randomUUID().slice(0, 8)}`;

/** Opens the target for the tests of a file. */
export function useTarget(): Target {
  const target = {} as Target;
  before(async () => {
    const place = realPlace() ?? (await startSimulated());
    Object.assign(target, await open(place));
  });
  after(async () => {
    const failures: unknown[] = [];
    for (const undo of cleanups.splice(0).reverse()) {
      await undo().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Not everything was cleaned up.');
  });
  return target;
}

async function open(place: Place): Promise<Target> {
  cleanUpWith(() => place.close());
  const { socketPath, names, image } = place;
  const client = createIncusClient({ socketPath, project: names.project, timeoutSeconds: 30 });
  cleanUpWith(() => client.close());
  const alias = await client.images.getAlias(image);
  const administrator = administratorOn(socketPath, names.project);
  return {
    socketPath,
    names,
    client,
    administrator,
    overHttps: place.overHttps ?? (() => listenOverHttps(administrator, cleanUpWith)),
    image: alias?.target ?? image,
    mayAskBtrfs: place.mayAskBtrfs ?? ((...asked) => askBtrfs(administrator, ...asked)),
    forget: place.forget ?? ((instance) => administrator.forget(instance)),
    makeDeaf: place.makeDeaf ?? ((instance) => replaceInit(client, instance)),
  };
}

function realPlace(): Place | undefined {
  const { env } = process;
  const { BERTH_CONTRACT_INCUS_SOCKET: socketPath } = env;
  if (!socketPath) return undefined;
  const given = (name: string) => {
    const value = env[`BERTH_CONTRACT_INCUS_${name}`];
    if (value) return value;
    throw new Error(`BERTH_CONTRACT_INCUS_${name} must be set along with ..._SOCKET.`);
  };
  const names = { project: given('PROJECT'), pool: given('POOL'), network: given('NETWORK') };
  return { socketPath, names, image: given('IMAGE'), close: async () => {} };
}

/** The kernel does not deliver signals to the first process unless it has a handler for them. */
async function replaceInit({ files }: IncusClient, instance: string): Promise<void> {
  const init = '/usr/sbin/init';
  await files.delete(instance, init);
  const content = '#!/bin/sh\nwhile :; do sleep 1; done\n';
  await files.push(instance, init, { type: 'file', uid: 0, gid: 0, mode: 0o755, content });
}

/** A structure with an unused name: the kernel creates that subvolume, or refuses. */
const askInPerl = (ioctl: string) =>
  `sysopen(my $root, "/", 0) or exit 9; my $asked = pack("q a4088", 0, "subvolume$$"); ` +
  `exit(defined ioctl($root, ${ioctl}, $asked) ? 0 : 1)`;

async function askBtrfs(
  { ask }: Target['administrator'],
  instance: string,
  ioctl: string,
): Promise<boolean> {
  const command = ['perl', '-e', askInPerl(ioctl)];
  const how = { 'wait-for-websocket': false, interactive: false };
  const ended = (await ask('POST', ['instances', instance, 'exec'], { command, ...how })) as {
    metadata: { return: number };
  };
  const { return: code } = ended.metadata;
  if (code > 1) throw new Error(`perl ended with ${code}.`);
  return code === 0;
}

/** A new directory, which is removed afterwards. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'contract-'));
  cleanUpWith(async () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Waits until `look` returns something. The error after the timeout says what was expected. */
export async function until<T>(
  what: string,
  seconds: number,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`Not within ${seconds} s: ${what}`);
    await sleep(50);
  }
}
