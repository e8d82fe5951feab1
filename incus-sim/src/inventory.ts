import type { Engine } from './engine.ts';
import { refuseOutOfReach } from './members.ts';
import { findInstance, type Instance, type Model, removeVolume } from './model.ts';
import { enterNics, removeNics } from './nics.ts';
import type { NewOperation } from './operations.ts';
import { type Call, part } from './router.ts';
import { instancePath, urlIn } from './urls.ts';

/** The instance in the path of a call; throws if its member is down. */
export function askedInstance({ model }: Engine, call: Call): Instance {
  const instance = findInstance(model, call.project, part(call, 'name'));
  refuseOutOfReach(model, instance);
  return instance;
}

/** The description of an operation on an instance. */
export function operationOn(instance: Instance, description: string, call: Call): NewOperation {
  return {
    project: instance.project.name,
    description,
    resources: resourceOf(instance.project.name, instance.name),
    location: instance.member,
    fault: call.fault,
  };
}

export const resourceOf = (project: string, name: string) => ({
  instances: [urlIn(project, instancePath(name))],
});

export function enter(model: Model, instance: Instance): void {
  instance.project.instances.set(instance.name, instance);
  enterNics(model, instance);
  const member = model.members.get(instance.member);
  if (member) member.instances += 1;
}

export function eraseDisk(model: Model, instance: Instance): void {
  const { project, type, name } = instance;
  for (const pool of model.pools.values()) removeVolume(pool, { project, type, name });
  instance.disk = 'none';
}

export function leave(model: Model, instance: Instance): void {
  instance.project.instances.delete(instance.name);
  removeNics(model, instance);
  const member = model.members.get(instance.member);
  if (member) member.instances -= 1;
}
