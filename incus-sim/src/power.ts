import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from './engine.ts';
import { liveGuest } from './guest.ts';
import { hold } from './locks.ts';
import type { Instance } from './model.ts';
import { startRun } from './runs.ts';
import { applyDeferred } from './sizes.ts';
import { readEntry } from './tree.ts';
import { instancePath } from './urls.ts';

/** When templates of its image are to be applied to an instance at its next start. */
export const templateKey = 'volatile.apply_template';

/** The time until Incus notices the end of a guest. */
const noticedMs = 3;

/** Switches an instance on; its guest boots by itself. */
export function switchOn(engine: Engine, instance: Instance): void {
  const { 'security.syscalls.deny': deniedCalls, 'limits.memory': memory } = instance.config;
  const run = startRun(guestNameOf(instance), { deniedCalls, memory });
  applyDeferred(instance);
  // The templates of its image are applied now. Those of the simulator change nothing.
  delete instance.config[templateKey];
  instance.run = run;
  instance.status = 'Running';
  instance.lastUsedAt = run.startedAt;
  const { hostInterfaces } = engine.model;
  hostInterfaces.set(run.hostName, instance);
  void run.ended.then(() => hostInterfaces.delete(run.hostName));
  void liveGuest(instance, run, {
    timing: engine.timing,
    faults: () => engine.faults.ofGuest(instance.name),
    powerOff: () => void guestPowersOff(engine, instance),
    reboot: () => guestReboots(engine, instance),
  });
}

/** As its system reads it while it boots. Before that, a guest is called like its instance. */
function guestNameOf({ files, name }: Instance): string {
  return readEntry(files, '/etc/hostname')?.content.toString().trim() || name;
}

export function switchOff(instance: Instance): void {
  const { run } = instance;
  delete instance.run;
  instance.status = 'Stopped';
  run?.end();
}

/**
 * The guest powers off. If an operation requested that, it reports it. Otherwise Incus notices it,
 * and cleans up: it shows the instance as stopped for a moment, and then as running until the
 * clean-up has ended.
 */
export async function guestPowersOff(engine: Engine, instance: Instance): Promise<void> {
  switchOff(instance);
  if (instance.lock) return;
  await sleep(noticedMs, undefined, { ref: false });
  if (instance.lock || instance.run) return;
  await hold(instance, { action: 'stop', reusable: true }, () =>
    sleep(engine.timing.stop, undefined, { ref: false }),
  );
  reportAct(engine, instance, 'instance-shutdown', { requested: false });
}

/** The status that Incus shows and uses: until an action is over, it is the one from before. */
export function shownStatus({ status, lock }: Instance): Instance['status'] {
  if (lock?.action === 'start') return 'Stopped';
  return lock?.action === 'stop' ? 'Running' : status;
}

function guestReboots(engine: Engine, instance: Instance): void {
  switchOff(instance);
  switchOn(engine, instance);
  reportAct(engine, instance, 'instance-restarted', { requested: false });
}

/** Asks the guest to shut down, which takes some time, or is ignored. */
export async function askToShutDown(engine: Engine, instance: Instance): Promise<void> {
  const { run } = instance;
  const { ignoresShutdown, neverBoots } = engine.faults.ofGuest(instance.name);
  if (!run || ignoresShutdown || neverBoots) return;
  await run.pause(engine.timing.shutdown);
  await guestPowersOff(engine, instance);
}

export function freeze(instance: Instance): void {
  instance.status = 'Frozen';
  instance.run?.freeze();
}

export function thaw(instance: Instance): void {
  instance.status = 'Running';
  instance.run?.thaw();
}

/** Sends the event for something that happened to an instance. */
export function reportAct(
  { events }: Engine,
  instance: Instance,
  action: string,
  details: { context?: Record<string, unknown>; requested?: boolean } = {},
): void {
  events.lifecycle({
    project: instance.project.name,
    action,
    source: instancePath(instance.name),
    name: instance.name,
    location: instance.member,
    ...details,
  });
}
