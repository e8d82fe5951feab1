import type { Engine } from './engine.ts';
import { renameInstance } from './instances.ts';
import { leave } from './inventory.ts';
import { findInstance, type Instance, removeVolume, rootPool, volumesOf } from './model.ts';
import { freeze, guestPowersOff, reportAct, switchOff, switchOn, thaw } from './power.ts';
import { refuse } from './refusal.ts';

/** Actions of others than the client. They happen at once, in any state. */
export interface Administrator {
  start(project: string, instance: string): void;
  stop(project: string, instance: string): void;
  freeze(project: string, instance: string): void;
  unfreeze(project: string, instance: string): void;
  delete(project: string, instance: string): void;
  /** Deletes the record of an instance in Incus's database, and leaves its disk. */
  forget(project: string, instance: string): void;
  /** Deletes a disk without an instance by hand. */
  removeDisk(project: string, pool: string, name: string): void;
  rename(project: string, instance: string, name: string): void;
  /** The guest itself powers off. */
  powerOffInside(project: string, instance: string): void;
  /**
   * Root in the guest makes an `ioctl` call of btrfs, such as `0x5000940e`, which creates a
   * subvolume. Returns whether it is allowed.
   */
  mayAskBtrfs(project: string, instance: string, ioctl: string): boolean;
  /** The guest uses so many more bytes of memory: of processes, and of files in a tmpfs. */
  occupy(project: string, instance: string, bytes: { own?: number; shared?: number }): void;
  /** Adds so many bytes to the guest's traffic. */
  transfer(project: string, instance: string, moved: { incoming: number; outgoing: number }): void;
}

export function administratorOf(engine: Engine): Administrator {
  const { model } = engine;
  const on =
    (act: (instance: Instance) => void) =>
    (project: string, name: string): void =>
      act(findInstance(model, project, name));
  return {
    start: on((instance) => {
      switchOn(engine, instance);
      reportAct(engine, instance, 'instance-started');
    }),
    stop: on((instance) => {
      switchOff(instance);
      reportAct(engine, instance, 'instance-stopped');
    }),
    freeze: on((instance) => {
      freeze(instance);
      reportAct(engine, instance, 'instance-paused');
    }),
    unfreeze: on((instance) => {
      thaw(instance);
      reportAct(engine, instance, 'instance-resumed');
    }),
    delete: on((instance) => {
      const { project, type, name } = instance;
      switchOff(instance);
      removeVolume(rootPool(model, instance), { project, type, name });
      leave(model, instance);
      reportAct(engine, instance, 'instance-deleted');
    }),
    forget: on((instance) => {
      switchOff(instance);
      leave(model, instance);
    }),
    removeDisk(name, poolName, disk) {
      const project = model.projects.get(name) ?? refuse('Project not found', 404);
      const pool = model.pools.get(poolName) ?? refuse('Storage pool not found', 404);
      const volume = volumesOf(pool, project).find((one) => one.name === disk);
      if (!volume) return refuse(`There is no disk ${disk}`, 404);
      removeVolume(pool, volume);
    },
    rename: (project, name, newName) =>
      renameInstance(engine, findInstance(model, project, name), newName),
    transfer(project, name, { incoming, outgoing }) {
      const { run } = findInstance(model, project, name);
      if (!run) return refuse(`The instance ${name} is not running`, 400);
      run.moved.incoming += incoming;
      run.moved.outgoing += outgoing;
    },
    occupy(project, name, { own = 0, shared = 0 }) {
      const { run } = findInstance(model, project, name);
      if (!run) return refuse(`The instance ${name} is not running`, 400);
      run.occupied.own += own;
      run.occupied.shared += shared;
    },
    mayAskBtrfs(project, name, ioctl) {
      const { run } = findInstance(model, project, name);
      if (!run) return refuse(`The instance ${name} is not running`, 400);
      return !run.deniedCalls.includes(`[1,${ioctl},SCMP_CMP_MASKED_EQ,0xffffffff]`);
    },
    powerOffInside: on((instance) => void guestPowersOff(engine, instance)),
  };
}
