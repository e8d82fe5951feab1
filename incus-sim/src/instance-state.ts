import { setTimeout as sleep } from 'node:timers/promises';
import { started, sync } from './answers.ts';
import { refuseStart } from './disks.ts';
import type { Engine } from './engine.ts';
import { instanceStateView } from './instance-view.ts';
import { askedInstance, eraseDisk, leave, operationOn } from './inventory.ts';
import { inWordsOf, locked } from './locks.ts';
import type { Instance } from './model.ts';
import { refuseLimits, refuseTakenAddresses } from './nics.ts';
import type { Work } from './operations.ts';
import {
  askToShutDown,
  freeze,
  reportAct,
  shownStatus,
  switchOff,
  switchOn,
  thaw,
} from './power.ts';
import { refuse } from './refusal.ts';
import { jsonBody, type Routes } from './router.ts';

interface StateChange {
  action: string;
  force?: boolean;
  /** In seconds; -1 for the default of Incus. */
  timeout?: number;
}

type Change = (engine: Engine, work: Work, instance: Instance, asked: StateChange) => Promise<void>;

const changes: Record<string, { description: string; run: Change }> = {
  start: { description: 'Starting instance', run: start },
  stop: { description: 'Stopping instance', run: stop },
  restart: { description: 'Restarting instance', run: restart },
  freeze: { description: 'Freezing instance', run: pause },
  unfreeze: { description: 'Unfreezing instance', run: resume },
};

/** Incus uses ten minutes for a timeout of -1. */
const longSeconds = 600;

export function stateRoutes(engine: Engine): Routes {
  return {
    'GET /1.0/instances/:name/state': (call) =>
      sync(instanceStateView(engine.model, askedInstance(engine, call))),
    'PUT /1.0/instances/:name/state': async (call) => {
      const instance = askedInstance(engine, call);
      const asked = await jsonBody<StateChange>(call);
      const change = changes[asked.action] ?? refuse(`Unknown action: '${asked.action}'`, 400);
      const operation = engine.operations.start(
        operationOn(instance, change.description, call),
        (work) => change.run(engine, work, instance, asked),
      );
      return started(operation);
    },
  };
}

const alreadyStopped = () => refuse('The instance is already stopped', 400);

/** Halfway, it is running. */
async function start(engine: Engine, work: Work, instance: Instance): Promise<void> {
  if (shownStatus(instance) !== 'Stopped') refuse('The instance is already running');
  const act = async () => {
    refuseTakenAddresses(engine.model, instance);
    refuseLimits(engine.model, instance, 'Failed to start');
    refuseStart(instance);
    await work.pause(engine.timing.start);
    switchOn(engine, instance);
    work.reach('half');
    reportAct(engine, instance, 'instance-started');
  };
  await locked(work, instance, { action: 'start', inherits: ['restart'] }, act).catch(
    inWordsOf('Failed to create instance start operation'),
  );
}

/** Halfway, it has stopped, and there was no event. */
async function stop(
  engine: Engine,
  work: Work,
  instance: Instance,
  { force, timeout = -1 }: StateChange,
): Promise<void> {
  if (shownStatus(instance) === 'Stopped') alreadyStopped();
  const act = force
    ? async () => {
        await powerCut(engine, work, instance);
        work.reach('half');
        reportAct(engine, instance, 'instance-stopped');
      }
    : async () => {
        await shutdown(engine, work, instance, timeout);
        work.reach('half');
        reportAct(engine, instance, 'instance-shutdown');
      };
  await locked(work, instance, { action: 'stop', reusable: true, inherits: ['restart'] }, act);
  if (!instance.ephemeral || instance.disk === 'none') return;
  eraseDisk(engine.model, instance);
  leave(engine.model, instance);
  reportAct(engine, instance, 'instance-deleted');
}

/** Halfway, it has stopped. */
async function restart(
  engine: Engine,
  work: Work,
  instance: Instance,
  { force, timeout = -1 }: StateChange,
): Promise<void> {
  if (instance.status === 'Stopped') alreadyStopped();
  await locked(work, instance, { action: 'restart' }, async () => {
    await (force ? powerCut(engine, work, instance) : shutdown(engine, work, instance, timeout));
    work.reach('half');
    await work.pause(engine.timing.start);
    switchOn(engine, instance);
    reportAct(engine, instance, 'instance-restarted');
  });
}

async function powerCut(engine: Engine, work: Work, instance: Instance): Promise<void> {
  await work.pause(engine.timing.stop);
  if (instance.status === 'Stopped') alreadyStopped();
  switchOff(instance);
}

async function shutdown(engine: Engine, work: Work, instance: Instance, timeout: number) {
  const { run } = instance;
  if (!run) return alreadyStopped();
  // A frozen guest receives nothing, so Incus thaws it, and does not freeze it again.
  if (instance.status === 'Frozen') thaw(instance);
  void askToShutDown(engine, instance);
  const grace = sleep((timeout < 0 ? longSeconds : timeout) * 1000, undefined, { ref: false });
  await work.until(Promise.race([run.ended, grace]));
  if (!run.isOver()) {
    refuse(
      `Failed shutting down instance, status is "${instance.status}": context deadline exceeded`,
    );
  }
}

/** Halfway, nothing has changed. */
async function pause(engine: Engine, work: Work, instance: Instance): Promise<void> {
  if (instance.status === 'Stopped') refuse("The instance isn't running");
  if (instance.status === 'Frozen') refuse('The container is already frozen');
  work.reach('half');
  freeze(instance);
  reportAct(engine, instance, 'instance-paused');
}

/** Halfway, nothing has changed. */
async function resume(engine: Engine, work: Work, instance: Instance): Promise<void> {
  if (instance.status === 'Stopped') refuse("The container isn't running");
  if (instance.status === 'Running') refuse('The container is already running');
  work.reach('half');
  thaw(instance);
  reportAct(engine, instance, 'instance-resumed');
}
