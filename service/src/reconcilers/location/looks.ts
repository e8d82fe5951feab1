import { askPatiently } from '../../incus/transport/patience.ts';
import { nodesThatWere, setAnswered } from '../../nodes/seen-queries.ts';
import { keepConfined } from '../confinement.ts';
import { lookAtNodes } from '../nodes.ts';
import { keepThrottles } from '../throttles.ts';
import { lookAtInstance, sweepLocation } from '../truth.ts';
import { enterUnknown } from '../unknown-instances.ts';
import { define, type LocationSubject } from './subject.ts';

// How the engine, its members and its instances are.

const defaultSweepMilliseconds = 60_000;
const defaultPingMilliseconds = 5000;
/** Those that were away are asked more often, by this share of the time: their servers are to be seen again soon. */
const awayShare = 0.4;

const pingMilliseconds = ({ watching }: LocationSubject) =>
  watching.pingMilliseconds ?? defaultPingMilliseconds;

/** At a time of its own: the locations are not all to be compared at once. */
export const eachSweep = ({ watching }: LocationSubject) => {
  const { sweepMilliseconds: milliseconds = defaultSweepMilliseconds } = watching;
  return { milliseconds, first: 'random' } as const;
};

/** The engine may stumble over an instance that is on its way from one state to another. */
export const instance = define({
  name: 'instance',
  on: ['instance_changed'],
  retry: { times: 4, pauseMilliseconds: 500 },
  whenFailed: 'instance_unread',
  async run(subject, name) {
    await lookAtInstance(subject, name);
  },
});

export const engine = define({
  name: 'engine',
  every: (subject) => ({ milliseconds: pingMilliseconds(subject) }),
  async run({ db, client, location, signal, reach, members }, _, { tell }) {
    const isInDoubt = reach.isInDoubt('answers', 'nodes', 'instances');
    const [known] = await nodesThatWere(db, location.id, 'online');
    const look = askPatiently((options) => client.server.info(undefined, options), signal);
    const { isSlow } = await reach.judge('answers', look, signal);
    if (isInDoubt) tell('engine_doubted');
    if (known?.member === null) await setAnswered(db, location.id, { ...known, isSlow });
    else await members.run('online');
  },
});

export const membersAway = define({
  name: 'members-away',
  every: (subject) => ({ milliseconds: pingMilliseconds(subject) * awayShare }),
  async run({ members }) {
    await members.run('offline');
  },
});

/** Before each sweep, and not within it: Incus lists no instances before it gives a silent member up. */
export const nodes = define({
  name: 'nodes',
  every: eachSweep,
  on: ['connected', 'instance_unread', 'engine_doubted', 'member_changed'],
  async run(subject, _, { tell }) {
    const { reach, location, signal } = subject;
    const looked = lookAtNodes({ ...subject, pool: location.storage_pool });
    const isAnyBack = await reach.judge('nodes', looked, signal);
    if (isAnyBack) tell('instances_outdated');
    tell('nodes_read');
  },
});

/** Compares all instances of a location with all its servers. */
export const instances = define({
  name: 'instances',
  on: ['nodes_read'],
  abortOn: ['instances_outdated'],
  async run(subject, _, { signal }) {
    const { location, reach, installationId, keepOrphans, countSubvolumes, quotas } = subject;
    const { observer } = subject.watching;
    const begun = performance.now();
    const found = await reach.judge('instances', sweepLocation({ ...subject, signal }), signal);
    await enterUnknown(subject, installationId, found);
    await keepOrphans(subject, found);
    await keepThrottles(subject, found);
    const unconfined = await keepConfined(subject, found);
    observer?.unconfined(location.name, unconfined);
    await countSubvolumes(found);
    observer?.swept((performance.now() - begun) / 1000);
    await quotas.compare(found);
    return { instances: found.length, unconfined };
  },
});
