import type { Config, Devices, Instance } from './model.ts';
import { refuse } from './refusal.ts';

// What Incus 6.0.4 does when the size of a running instance is changed. A container gets any size at once.

const deferred = 'volatile.root.apply_quota';

/** A virtual machine can't get more memory than it was started with. */
export function refuseMemory({ run, type }: Instance, config: Config = {}): void {
  const { 'limits.memory': memory } = config;
  if (!run || type !== 'virtual-machine' || memory === undefined) return;
  const [boot, wanted] = [run.memoryAtStart, memory].map((text) => sizeBytes(text) / 2 ** 20);
  if (Number(wanted) <= Number(boot)) return;
  refuse(
    'Cannot increase memory size beyond boot time size when VM is running ' +
      `(Boot time size ${boot}MiB, new size ${wanted}MiB)`,
  );
}

/** The disk of a running virtual machine is in use, so that it gets its new size at the next start. */
export function deferDisk({ config, devices, run, type }: Instance, wanted: Devices = {}): void {
  const size = wanted.root?.size;
  if (size === undefined || size === devices.root?.size) return;
  delete config[deferred];
  if (run && type === 'virtual-machine') config[deferred] = 'true';
}

export function applyDeferred({ config }: Instance): void {
  delete config[deferred];
}

const units: Record<string, number> = { MiB: 2 ** 20, GiB: 2 ** 30, MB: 1e6, GB: 1e9 };

export function sizeBytes(text: string): number {
  const [, number, unit = ''] = /^(\d+)([A-Za-z]*)$/.exec(text) ?? [];
  return Number(number ?? 0) * (units[unit] ?? 1);
}
