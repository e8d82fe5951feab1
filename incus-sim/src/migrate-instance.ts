import { type Answer, started } from './answers.ts';
import type { Engine } from './engine.ts';
import { operationOn } from './inventory.ts';
import { locked } from './locks.ts';
import { targetOf } from './members.ts';
import { findVolume, type Instance, type Member, rootPool } from './model.ts';
import { shownStatus } from './power.ts';
import { refuse } from './refusal.ts';
import type { Call } from './router.ts';

/**
 * Moves an instance with its disk to another member of the cluster. Halfway, nothing has visibly
 * changed.
 */
export function migrateInstance(
  engine: Engine,
  instance: Instance,
  { live = false }: { live?: boolean },
  call: Call,
): Answer {
  const { model, operations, timing } = engine;
  const runs = shownStatus(instance) !== 'Stopped';
  if (runs && !live) refuse('Instance must be stopped to be moved statelessly', 400);
  const target = targetOf(model, call.query.get('target') ?? '');
  if (target.name === instance.member) {
    refuse('Requested target server is the same as current server', 400);
  }
  const operation = operations.start(
    operationOn(instance, 'Migrating instance', call),
    async (work) => {
      if (runs) refuseLive(instance);
      await locked(work, instance, { action: 'migrate' }, async () => {
        await work.pause(timing.migrate / 2);
        work.reach('half');
        await work.pause(timing.migrate / 2);
        relocate(engine, instance, target);
      });
    },
  );
  return started(operation);
}

/** A container requires a program that is not installed, and a virtual machine a setting. */
function refuseLive({ type, config }: Instance): void {
  const failed = 'Instance move to destination failed on source: ';
  if (type === 'container') {
    refuse(
      `${failed}Unable to perform container live migration. CRIU isn't installed on the source server`,
    );
  }
  if (config['migration.stateful'] !== 'true') {
    refuse(`${failed}Live migration requires migration.stateful to be set to true`);
  }
}

/** Also used by an evacuation. */
export function relocate({ model }: Engine, instance: Instance, target: Member): void {
  const { project, type, name, member } = instance;
  const source = model.members.get(member);
  if (source) source.instances -= 1;
  target.instances += 1;
  instance.member = target.name;
  const volume = findVolume(rootPool(model, instance), { project, type, name });
  if (volume) volume.member = target.name;
}
