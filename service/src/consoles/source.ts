import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../db/connection.ts';
import type { IncusClient } from '../incus/client.ts';
import type { EngineConsole } from '../incus/consoles.ts';
import type { Instance } from '../incus/instances.ts';
import { isEngineError } from '../incus/transport/errors.ts';
import { instanceName } from '../instances/labels.ts';
import type { AttachmentSource } from './attachment.ts';
import { type OpenedConsole, serverOfConsole } from './connection-queries.ts';
import type { Ending } from './endings.ts';

/** The Incus of a location. */
export type EngineOfServer = (locationId: number) => Promise<IncusClient>;

interface SourceSettings {
  db: Db;
  engineOf: EngineOfServer;
  log: FastifyBaseLogger;
  /** This process. */
  holder: string;
}

/** The status of an operation that somebody has cancelled ("Status codes", REST API of Incus). */
const cancelled = 401;

/** The status of an instance whose member does not answer. */
const unknown = 'Error';

const sizeSeconds = 10;

/** What the run of a guest has that no other has: when it began. Undefined if it does not run. */
const runOf = (instance: Instance | null) =>
  instance === null || instance.status === 'Stopped' ? undefined : instance.last_used_at;

/** How the console of a server is reached. */
export function sourceOf(
  { db, engineOf, log, holder }: SourceSettings,
  { serverId, uuid, locationId }: OpenedConsole,
): Pick<AttachmentSource, 'readLog' | 'connect' | 'setSize' | 'whyEnded'> {
  const name = instanceName(uuid);

  /** In the order in which they explain the end: a deletion stops the server. */
  async function whyEnded(console: EngineConsole | undefined): Promise<Ending> {
    const { isDeleted, lastHolder } = await serverOfConsole(db, serverId);
    if (isDeleted) return 'deleted';
    if (lastHolder !== null && lastHolder !== holder) return 'taken';
    try {
      const incus = await engineOf(locationId);
      const instance = await incus.instances.get(name);
      if (instance?.status !== 'Running') return 'stopped';
      const operation = console && (await incus.operations.get(console.operation));
      return operation?.status_code === cancelled ? 'taken' : 'ended';
    } catch (error) {
      log.warn({ err: error, server_id: serverId }, 'The console of a server was lost.');
      return 'failed';
    }
  }

  /** An engine that does not answer says nothing about the guest. */
  async function isOver(run: string | undefined, signal: AbortSignal): Promise<boolean> {
    try {
      const incus = await engineOf(locationId);
      const instance = await incus.instances.get(name, { signal });
      return instance?.status !== unknown && runOf(instance) !== run;
    } catch (error) {
      const words = 'Whether the guest of a console still runs is not known.';
      if (!signal.aborted) log.debug({ err: error, server_id: serverId }, words);
      return false;
    }
  }

  return {
    whyEnded,
    async readLog(most, signal) {
      const incus = await engineOf(locationId);
      try {
        return await incus.consoles.log(name, most, { signal });
      } catch (error) {
        if (signal.aborted || isEngineError(error, 'unreachable', 'timeout')) throw error;
        // A virtual machine has none, and one that cannot be read is no reason to refuse the console.
        log.info(
          { err: error, server_id: serverId },
          'The earlier output of a console is not available.',
        );
        return Buffer.alloc(0);
      }
    },
    async connect(signal) {
      const incus = await engineOf(locationId);
      // Before it is opened: a run that begins in between is then taken for another one, not the other way round.
      const run = runOf(await incus.instances.get(name, { signal }));
      const opened = await incus.consoles.open(name, { signal });
      return { ...opened, run, isOver: (leaving) => isOver(run, leaving) };
    },
    async setSize(console, { columns, rows }, signal) {
      console.resize({ columns, rows });
      // Incus passes a size on to a container only when it connects, not when it changes.
      const command = ['stty', '-F', '/dev/console', 'cols', String(columns), 'rows', String(rows)];
      try {
        const incus = await engineOf(locationId);
        await incus.exec.run(name, command, '', { signal, timeoutSeconds: sizeSeconds });
      } catch (error) {
        // The guest keeps its size, and the console is of use all the same.
        log.info({ err: error, server_id: serverId }, 'The size of a console was not set.');
      }
    },
  };
}
