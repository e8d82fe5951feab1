import { handoverFiles } from '../guests/handover.ts';
import { longestProgressBytes, readProgress, resultPaths } from '../guests/progress.ts';
import { isEngineError } from '../incus/errors.ts';
import { ensureImage, ImageServerUnreachable } from '../operating-systems/images.ts';
import {
  defineOperation,
  done,
  fail,
  next,
  type StepContext,
  type StepResult,
  wait,
} from '../operations/define.ts';
import { takeCreatePlace } from '../operations/queries.ts';
import { decrypt } from '../secrets.ts';
import { settle, startInstance } from './engine.ts';
import { instanceDefinition, instanceName } from './instance.ts';
import { setServerState } from './queries.ts';

/** What a create hands to its operation, encrypted until it ends. */
export interface CreateSecrets {
  passwordHash: string;
  commands: (string | string[])[];
}

interface CreateState {
  /** How many initial commands there are. */
  commands: number;
  has_place: boolean;
  fingerprint: string;
  /** When its image was first asked for, in milliseconds. */
  image_since: number;
  ssh_ready: boolean;
}

type Context = StepContext<CreateState>;
type Result = Promise<StepResult<CreateState>>;

const lookAgainSeconds = 0.1;
const createSeconds = 10 * 60;
/** An image server that is away for longer ends the create, with a word about it. */
const imageServerPatienceMs = 20_000;

export const createOperation = defineOperation<CreateState>({
  kind: 'create',
  title: 'Creating the server',
  deadlineSeconds: 30 * 60,
  first: 'queue',
  steps: {
    queue: { weight: 1, doing: 'waiting for its turn', run: queue },
    image: { weight: 20, doing: 'getting the operating system', run: image },
    instance: { weight: 10, doing: 'making its disk', run: instance },
    handover: { weight: 4, doing: 'handing over its password and commands', run: handover },
    start: { weight: 5, doing: 'starting it', run: start },
    network: { weight: 10, doing: 'waiting for its network', run: network },
    initialise: { weight: 49, doing: 'setting it up', run: initialise },
    finish: { weight: 1, doing: 'looking at the result', run: finish },
  },
  async failed(trx, operation, reason) {
    await setServerState(trx, operation.server_id, { status: 'error', error: reason });
  },
});

async function queue({ db, operation, server, settings }: Context): Result {
  const place = { id: operation.id, nodeId: server.nodeId };
  const taken = await db
    .transaction()
    .execute((trx) => takeCreatePlace(trx, place, settings.createsPerNode));
  return taken ? next('image') : wait(0.5, 'waiting for other servers being created on its node');
}

async function image(context: Context): Result {
  const { incus, operation, server, settings, signal, report } = context;
  const { workDir } = settings;
  const since = operation.state.image_since ?? Date.now();
  try {
    const request = { incus, os: server.os, workDir, onProgress: report, signal };
    const { fingerprint } = await ensureImage(request);
    return next('instance', { fingerprint });
  } catch (error) {
    if (!(error instanceof ImageServerUnreachable)) throw error;
    if (Date.now() - since > imageServerPatienceMs) {
      return fail('image_server_unreachable', error.message);
    }
    const why = `trying again to reach ${error.host}`;
    return { outcome: 'wait', seconds: 5, why, patch: { image_since: since } };
  }
}

async function instance(context: Context): Result {
  const { incus, operation, server, settings, signal, report } = context;
  const name = instanceName(server.uuid);
  if (await incus.instances.get(name, { signal })) return next('handover');
  const { fingerprint } = operation.state;
  const definition = instanceDefinition(server, fingerprint, settings.installationId);
  await settle(incus, incus.instances.create(definition, server.member ?? undefined, { signal }), {
    signal,
    timeoutSeconds: createSeconds,
    onProgress: ({ fraction, text }) => report(fraction ?? 0, text),
  });
  return next('handover');
}

async function handover({ incus, operation, server, settings, signal }: Context): Result {
  const name = instanceName(server.uuid);
  const found = await incus.instances.get(name, { signal });
  if (!found) return next('instance');
  // A guest that runs has been handed everything: pushing again would repeat its commands.
  if (found.status !== 'Stopped') return next('start');
  if (!operation.secrets) return fail('secrets_missing', 'Its password is no longer known.');
  const secrets = decrypt<CreateSecrets>(settings.secretKey, operation.secrets);
  for (const { path, ...file } of handoverFiles(secrets)) {
    await incus.files.push(name, path, file, { signal });
  }
  return next('start');
}

async function start({ incus, server, signal }: Context): Result {
  const name = instanceName(server.uuid);
  const found = await incus.instances.get(name, { signal });
  if (!found) return next('instance');
  if (found.status !== 'Running') await startInstance(incus, name, { signal });
  return next('network');
}

async function network({ incus, server, signal }: Context): Result {
  const name = instanceName(server.uuid);
  const state = await incus.instances.getState(name, { signal });
  if (state?.status !== 'Running') return await stoppedBeforeDone(state?.status);
  const seen = Object.values(state.network ?? {}).flatMap((nic) => nic.addresses);
  const up = server.addresses.every(({ ip }) => seen.some(({ address }) => address === ip));
  return up ? next('initialise') : wait(lookAgainSeconds);
}

async function initialise({ incus, operation, server, signal }: Context): Result {
  const name = instanceName(server.uuid);
  const total = operation.state.commands;
  const pull = async (path: string) =>
    (await incus.files.pull(name, path, longestProgressBytes, { signal }))?.content ?? null;
  const { phase, finished, results, sshReady } = await readProgress(pull, total);
  if (phase === 'done') {
    return { outcome: 'next', step: 'finish', commands: results, patch: { ssh_ready: sshReady } };
  }
  const state = await incus.instances.getState(name, { signal });
  if (state?.status !== 'Running') return await stoppedBeforeDone(state?.status);
  if (phase === 'booting') return wait(lookAgainSeconds, 'waiting for its system to boot');
  const doing = `running command ${Math.min(finished + 1, total)} of ${total}`;
  return wait(
    lookAgainSeconds,
    total > 0 ? doing : undefined,
    0.5 + (0.5 * finished) / (total || 1),
  );
}

/** A command may power the guest off: started again, it goes on with the next one. */
async function stoppedBeforeDone(status: string | undefined): Result {
  return status === 'Stopped' ? next('start') : wait(1, 'waiting for it to run');
}

async function finish({ incus, operation, server, signal }: Context): Result {
  const name = instanceName(server.uuid);
  for (const path of resultPaths)
    await incus.files.delete(name, path, { signal }).catch(unlessGone);
  const failed = (operation.commands ?? []).flatMap((c, i) => (c.exit_status === 0 ? [] : [i + 1]));
  return done(finishedSentence(failed, operation.state.ssh_ready), (trx) =>
    setServerState(trx, server.id, {
      status: 'started',
      realStatus: 'started',
      error: null,
      installed: true,
    }),
  );
}

function finishedSentence(failed: number[], sshReady: boolean): string {
  const troubles = [
    ...(sshReady ? [] : ['it has no SSH server and none could be installed']),
    ...(failed.length === 1 ? [`its initial command ${failed[0]} failed; see commands`] : []),
    ...(failed.length > 1
      ? [`its initial commands ${failed.join(', ')} failed; see commands`]
      : []),
  ];
  if (troubles.length === 0) return 'The server was created.';
  return `The server was created, but ${troubles.join(', and ')}.`;
}

function unlessGone(error: unknown): void {
  if (!isEngineError(error, 'not_found')) throw error;
}
