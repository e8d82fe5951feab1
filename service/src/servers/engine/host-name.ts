import { userData } from '../../guests/cloud-init.ts';
import { cloudInitOff, startsFromFiles } from '../../guests/first-start.ts';
import { renamedHosts, systemName, withoutHostsModule } from '../../guests/host-name.ts';
import type { Instance } from '../../incus/instances.ts';
import { isEngineError } from '../../incus/transport/errors.ts';
import type { ServerStepContext } from '../define-operation.ts';

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'operation' | 'server' | 'signal'>;

/** Contents of files of a guest, in base64 by path. */
export type Copies = Record<string, string>;

const userDataKey = 'cloud-init.user-data';
/** The files that list the modules of cloud-init: its own, and that of images of earlier releases of Berth. */
const cloudInitFiles = ['/etc/cloud/cloud.cfg', '/etc/cloud/cloud.cfg.d/50-berth.cfg'];
/** Longer files, which no system has, stay as they are. */
const longestBytes = 64 * 1024;
/** A guest that takes longer must not occupy a worker. */
const setSeconds = 5;
/** How often a guest is asked that takes longer: its node may be slow. */
const mostTries = 3;

/**
 * Writes the name of a server to the configuration of its instance. Where cloud-init reads this configuration in the
 * guest, it would set up the guest again, because Incus then gives the instance a new ID for cloud-init. With user data,
 * it reads its own files instead (`guests/seed.ts`).
 */
export async function recordHostName(
  { incus, server, signal }: Context,
  found: Instance,
): Promise<void> {
  const wanted = userData(server);
  if (!startsFromFiles(found) || found.config[userDataKey] === wanted) return;
  const change = () => ({ config: { [userDataKey]: wanted } });
  await incus.instances.change(found.name, change, { signal });
}

/**
 * Copies the files of a guest that `writeHostName` changes in part. Incus empties a file before it writes it, so if it is
 * killed meanwhile, only the copy has the rest. A file that is empty now is taken from the copies of an earlier rename.
 */
export async function copyNameFiles(
  context: Context,
  found: Instance,
  earlier: Copies,
): Promise<Copies> {
  const files = filesOf(context, found);
  const copies: Copies = {};
  // A guest that starts from files has cloud-init only if it has user data.
  const hasCloudInit = !startsFromFiles(found) || !(await files.has(cloudInitOff));
  for (const path of ['/etc/hosts', ...(hasCloudInit ? cloudInitFiles : [])]) {
    const content = await files.read(path);
    if (content !== undefined) copies[path] = encode(content) || earlier[path] || '';
  }
  return copies;
}

const encode = (content: string) => Buffer.from(content, 'latin1').toString('base64');
const decode = (copy: string) => Buffer.from(copy, 'base64').toString('latin1');

/** Writes the name of a server to the files of its guest, which may be running. `/etc/hosts` keeps its other names. */
export async function writeHostName(
  context: Context,
  found: Instance,
  { copies, formerNames }: { copies: Copies; formerNames: string[] },
): Promise<void> {
  const { hostname } = context.server;
  const files = filesOf(context, found);
  const current = await files.read('/etc/hostname');
  const former = [...formerNames, current?.trim() ?? ''];
  const renamed = (path: string, content: string) =>
    path === '/etc/hosts' ? renamedHosts(content, hostname, former) : withoutHostsModule(content);
  for (const [path, copy] of Object.entries(copies)) {
    const content = await files.read(path);
    if (content === undefined) continue;
    const wanted = renamed(path, decode(copy));
    // Else it is as it was copied, or somebody has changed it since.
    const isPartlyWritten = wanted.startsWith(content);
    await files.write(path, content, isPartlyWritten ? wanted : renamed(path, content));
  }
  await files.write('/etc/hostname', current, `${systemName(hostname)}\n`);
}

/** Sets the name of a running guest. Returns false if the guest does not do so. */
export async function setHostName(
  { incus, operation, server, signal }: Context,
  found: Instance,
): Promise<boolean> {
  const name = systemName(server.hostname);
  const options = { signal, timeoutSeconds: setSeconds };
  try {
    // A system may have only one of these programs.
    for (const command of [
      ['hostname', name],
      ['hostnamectl', 'set-hostname', name],
    ]) {
      if ((await incus.exec.run(found.name, command, '', options)) === 0) return true;
    }
    return false;
  } catch (error) {
    if (isEngineError(error, 'timeout') && operation.attempts + 1 >= mostTries) return false;
    throw error;
  }
}

/** Files as bytes in Latin-1, because those of a guest may have any encoding. */
function filesOf({ incus, signal }: Context, { name }: Instance) {
  return {
    /** Asks Incus only once, which writes the whole pool to disk each time. */
    has: async (path: string) => (await incus.files.size(name, path, { signal })) !== null,

    /** Undefined for anything that is not a file, such as a symbolic link; empty for a file that does not exist. */
    async read(path: string): Promise<string | undefined> {
      try {
        const file = await incus.files.pull(name, path, longestBytes, { signal });
        return file?.content.toString('latin1') ?? '';
      } catch (error) {
        if (isEngineError(error, 'invalid')) return undefined;
        throw error;
      }
    },

    async write(path: string, before: string | undefined, content: string): Promise<void> {
      if (before === content) return;
      // What looks empty may be a FIFO, on which Incus would block: see `pull` of incus/files.ts.
      if (!before) await incus.files.delete(name, path, { signal }).catch(unlessMissing);
      const file = { type: 'file', uid: 0, gid: 0, mode: 0o644 } as const;
      // This is not aborted: an interrupted call could leave the file empty.
      await incus.files.push(name, path, { ...file, content: Buffer.from(content, 'latin1') });
    },
  };
}

function unlessMissing(error: unknown): void {
  if (!isEngineError(error, 'not_found')) throw error;
}
