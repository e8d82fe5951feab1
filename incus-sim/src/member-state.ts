import { type Answer, done, started } from './answers.ts';
import type { Engine } from './engine.ts';
import { leave } from './inventory.ts';
import { emptiest, knownMember, refuseSilent } from './members.ts';
import { relocate } from './migrate-instance.ts';
import type { Instance, Member, Model } from './model.ts';
import type { Work } from './operations.ts';
import { switchOff, switchOn } from './power.ts';
import { refuse } from './refusal.ts';
import { type Call, jsonBody, part, type Routes } from './router.ts';

/** The member from which an evacuation moved an instance. */
const originLabel = 'volatile.evacuate.origin';

type Change = (engine: Engine, work: Work, member: Member) => Promise<void>;

const changes: Record<string, { description: string; run: Change }> = {
  evacuate: { description: 'Evacuating cluster member', run: evacuate },
  restore: { description: 'Restoring cluster member', run: restore },
};

export function memberStateRoutes(engine: Engine): Routes {
  return {
    'POST /1.0/cluster/members/:name/state': (call) => changeState(engine, call),
    'DELETE /1.0/cluster/members/:name': (call) => forget(engine, call),
  };
}

/** With force it also removes a member that is down, with all records of its instances. */
function forget({ model }: Engine, call: Call): Answer {
  const member = knownMember(model, part(call, 'name'));
  const instances = instancesOn(model, member);
  if (call.query.get('force') !== '1') {
    refuseSilent(member);
    if (instances.length > 0) {
      refuse(`Member still has the following instances: ${instances.map(({ name }) => name)}`);
    }
  }
  for (const instance of instances) {
    instance.run?.end();
    leave(model, instance);
  }
  for (const { volumes } of model.pools.values()) {
    for (const ofProject of volumes.values()) {
      for (const [key, volume] of ofProject)
        if (volume.member === member.name) ofProject.delete(key);
    }
  }
  model.members.delete(member.name);
  return done();
}

/** Sent to the member itself. The operation belongs to no project. */
async function changeState(engine: Engine, call: Call): Promise<Answer> {
  const member = knownMember(engine.model, part(call, 'name'));
  refuseSilent(member);
  const { action } = await jsonBody<{ action: string }>(call);
  const change = changes[action] ?? refuse(`Unknown action "${action}"`, 400);
  const operation = engine.operations.start(
    { project: '', description: change.description, location: member.name, fault: call.fault },
    (work) => change.run(engine, work, member),
  );
  return started(operation);
}

/** Fails at the first instance that cannot be placed, and restores the member. Halfway, it is marked as evacuated. */
async function evacuate(engine: Engine, work: Work, member: Member): Promise<void> {
  if (member.evacuated) refuse('Cluster member is already evacuated');
  member.evacuated = true;
  try {
    work.reach('half');
    for (const instance of instancesOn(engine.model, member)) {
      const target = emptiest(engine.model);
      instance.config[originLabel] = member.name;
      await transfer(engine, work, instance, target);
    }
  } catch (error) {
    member.evacuated = false;
    throw error;
  }
}

async function restore(engine: Engine, work: Work, member: Member): Promise<void> {
  if (!member.evacuated) refuse('Cluster member is already restored');
  member.evacuated = false;
  work.reach('half');
  for (const project of engine.model.projects.values()) {
    for (const instance of project.instances.values()) {
      if (instance.config[originLabel] !== member.name) continue;
      await transfer(engine, work, instance, member);
      delete instance.config[originLabel];
    }
  }
}

async function transfer(engine: Engine, work: Work, instance: Instance, target: Member) {
  const ran = instance.status === 'Running';
  if (ran) switchOff(instance);
  await work.pause(engine.timing.migrate);
  relocate(engine, instance, target);
  if (ran) switchOn(engine, instance);
}

function instancesOn({ projects }: Model, { name }: Member): Instance[] {
  const all = [...projects.values()].flatMap(({ instances }) => [...instances.values()]);
  return all.filter(({ member }) => member === name);
}
