import { type Answer, sync } from './answers.ts';
import type { Engine } from './engine.ts';
import type { Instance, Member, Model } from './model.ts';
import { refuse } from './refusal.ts';
import type { Routes } from './router.ts';

/** A member whose daemon is down is listed as online until its heartbeat is that old. */
const offlineAfterMs = 20_000;

export function memberRoutes({ model }: Engine): Routes {
  return {
    'GET /1.0/cluster/members': (): Answer => {
      if (model.members.size === 0) refuse('Server is not clustered');
      return sync([...model.members.values()].map(view));
    },
  };
}

function view(member: Member) {
  const { name, address, failureDomain } = member;
  return {
    server_name: name,
    url: `https://${address}`,
    ...condition(member),
    architecture: 'x86_64',
    roles: ['database'],
    database: true,
    description: '',
    failure_domain: failureDomain,
    groups: ['default'],
    config: {},
  };
}

/** An evacuated member is shown as such even if it is down. */
function condition({ evacuated, downSince, isLate }: Member) {
  if (evacuated) return { status: 'Evacuated', message: 'Unavailable due to maintenance' };
  if (isLate) return { status: 'Offline', message: 'No heartbeat for 30s' };
  const silentMs = downSince === undefined ? 0 : Date.now() - downSince;
  if (silentMs < offlineAfterMs) return { status: 'Online', message: 'Fully operational' };
  return { status: 'Offline', message: `No heartbeat for ${silentMs / 1000}s` };
}

/** The member for a new instance: the requested one, otherwise the emptiest. */
export function placeFor(model: Model, target: string | null): string {
  const { members } = model;
  if (members.size === 0) return 'none';
  if (target !== null) return targetOf(model, target).name;
  return emptiest(model).name;
}

/** The member that Incus chooses by default. */
export function emptiest({ members }: Model): Member {
  const online = [...members.values()].filter((m) => m.downSince === undefined && !m.evacuated);
  const [first] = online.sort((a, b) => a.instances - b.instances);
  return first ?? refuse('No suitable cluster member could be found');
}

/** The target member. */
export function targetOf({ members }: Model, name: string): Member {
  if (members.size === 0) refuse('Target only allowed when clustered', 400);
  const member = members.get(name) ?? notFound();
  if (member.downSince !== undefined) refuse('Target cluster member is offline', 400);
  return member;
}

/** The member with that name. */
export function knownMember({ members }: Model, name: string): Member {
  return members.get(name) ?? notFound();
}

/** The target member of a request, by name, or the first that is up; `none` without a cluster. */
export function askedMember({ members }: Model, target: string | null): string {
  if (members.size === 0) return 'none';
  const all = [...members.values()];
  const anyOne = all.find(({ downSince }) => downSince === undefined) ?? all[0];
  const member = (target === null ? anyOne : members.get(target)) ?? notFound();
  refuseSilent(member);
  return member.name;
}

const notFound = () => refuse('Cluster member not found', 404);

export const isOutOfReach = ({ members }: Model, { member }: Instance): boolean =>
  members.get(member)?.downSince !== undefined;

/** Only the member of an instance can handle requests for it. */
export function refuseOutOfReach(model: Model, instance: Instance): void {
  const member = model.members.get(instance.member);
  if (member) refuseSilent(member);
}

/** A change of a network is sent to all members at once, and undone if one can't be reached. */
export function refuseUnlessAllAnswer({ members }: Model): void {
  for (const { address, downSince } of members.values()) {
    if (downSince === undefined) continue;
    refuse(`failed to notify peer ${address}: dial tcp ${address}: connect: connection refused`);
  }
}

/** Other members forward requests to it, and return an error if they cannot. */
export function refuseSilent({ address, downSince }: Member): void {
  if (downSince === undefined) return;
  const why = `Unable to connect to: ${address} ([dial tcp ${address}: connect: connection refused])`;
  refuse(`Get "https://${address}/1.0": ${why}`);
}
