import type { IncusClient } from '../incus/client.ts';
import type { AclRule, AclRules } from '../incus/network-acls.ts';
import type { Network } from '../incus/networks.ts';
import { EngineError, isEngineError } from '../incus/transport/errors.ts';
import { subnetsOf } from '../locations/network.ts';
import type { FindApi } from '../network-policy/api-addresses.ts';
import { compilePolicy } from '../network-policy/compile.ts';
import { othersOn } from '../network-policy/others.ts';
import {
  membersAway,
  recordOtherUsers,
  recordPolicy,
  type WantedPolicy,
  wantedPolicy,
} from '../network-policy/queries.ts';
import { familyOf } from '../network-policy/ranges.ts';
import { syncNodeAddresses } from './node-addresses.ts';
import type { NodeSubject } from './nodes.ts';

/** The timeout of changes. While a member of a cluster is unreachable, Incus waits for it for 17 s or more. */
const changeSeconds = 60;

export interface PolicySubject
  extends Pick<NodeSubject, 'db' | 'client' | 'locationId' | 'signal' | 'report'> {
  findApi: FindApi;
  /** Addresses and networks that servers must never reach. */
  protectedAddresses: readonly string[];
}

/**
 * Sets the rules for the traffic of servers on the network of a location. They are in one ACL, which is replaced as a
 * whole. It is attached to the network only once, because any change of the network itself suspends all rules for a
 * second. Changes that were made by hand are corrected. Returns the other users of the network, to whom all its IPv6
 * addresses are open.
 */
export async function reconcileNetworkPolicy(subject: PolicySubject): Promise<string[]> {
  const { db, locationId, signal } = subject;
  await syncNodeAddresses(subject);
  const wanted = await wantedPolicy(db, locationId);
  if (wanted?.kind !== 'bridge') return [];
  try {
    const others = await apply(subject, wanted);
    await recordOtherUsers(db, locationId, others);
    await recordPolicy(db, locationId, { applied: wanted.wanted, reason: lacking(wanted) });
    return others;
  } catch (error) {
    if (signal.aborted || !(error instanceof EngineError)) throw error;
    const reason = whyNot(error, await membersAway(db, locationId));
    await recordPolicy(db, locationId, { applied: null, reason });
    throw error;
  }
}

/**
 * The reason that is shown to everybody who can view the location. The message of the engine is only in the log.
 */
function whyNot(error: EngineError, away: string[]): string {
  if (away.length > 0)
    return `The rules are set once all nodes answer. These do not: ${away.join(', ')}.`;
  if (isEngineError(error, 'unreachable', 'timeout')) return 'The engine does not answer.';
  return 'The engine could not set the rules. The log of the service says why.';
}

function lacking({ silentNodes }: WantedPolicy): string | null {
  if (silentNodes.length === 0) return null;
  return `Servers can reach these nodes, because their addresses are not known yet: ${silentNodes.join(', ')}.`;
}

async function apply(subject: PolicySubject, wanted: WantedPolicy): Promise<string[]> {
  const { client, signal, findApi, protectedAddresses, report } = subject;
  const found = await client.networks.getTagged(wanted.network, { signal });
  if (!found) throw new EngineError('not_found', `There is no network ${wanted.network}.`);
  const others = othersOn(found.value.used_by, wanted.incusProject);
  const subnets = subnetsOf(found.value).map(({ cidr }) => cidr);
  const rules = compilePolicy({
    subnets,
    nodes: wanted.nodeAddresses,
    elsewhere: wanted.elsewhere,
    protected: protectedAddresses,
    held: wanted.held,
    isShared: others.length > 0,
    allowed: wanted.allowed,
    smtp: wanted.smtp,
    api: await findApi(report),
  });
  const acl = `berth-${wanted.uuid}`;
  await setRules(client, acl, rules, signal);
  const config = missingOf(found.value, acl);
  const options = { signal, timeoutSeconds: changeSeconds };
  if (config) await client.networks.configure(wanted.network, config, found.etag, options);
  return subnets.some((cidr) => familyOf(cidr) === 6) ? others : [];
}

async function setRules(
  { networkAcls }: Pick<IncusClient, 'networkAcls'>,
  name: string,
  rules: AclRules,
  signal: AbortSignal,
): Promise<void> {
  const found = await networkAcls.get(name, { signal });
  const options = { signal, timeoutSeconds: changeSeconds };
  if (!found) {
    const description = 'What the servers of Berth may reach. Changed by Berth only.';
    return await networkAcls.create({ name, description, ...rules }, options);
  }
  if (textOf(found.value) === textOf(rules)) return;
  await networkAcls.replace(found.value, rules, found.etag, options);
}

/** Formats rules as a text that is equal for rules with the same effect. Disabled rules have no effect. */
function textOf({ egress, ingress }: AclRules): string {
  const ofRule = ({ action, destination, protocol, destination_port, ...more }: AclRule) =>
    JSON.stringify([
      ...[action, destination, protocol, destination_port],
      ...Object.entries({ state: 'enabled', ...more }),
    ]);
  return JSON.stringify([egress.map(ofRule).sort(), ingress.map(ofRule).sort()]);
}

/**
 * Matches the ACLs of a location that used this network before, or of an installation whose records are gone.
 */
const former = /^berth-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The configuration keys with which the network uses the ACL; undefined if they are already set. ACLs of others stay
 * attached. Two installations can't share a network, because each would detach the ACL of the other.
 */
function missingOf({ config }: Network, acl: string): Record<string, string> | undefined {
  const acls = (config['security.acls'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name === acl || !former.test(name));
  const wanted = {
    'security.acls': [...new Set([...acls.filter(Boolean), acl])].join(','),
    'security.acls.default.ingress.action': 'drop',
    'security.acls.default.egress.action': 'drop',
  };
  const isThere = Object.entries(wanted).every(([key, value]) => config[key] === value);
  return isThere ? undefined : wanted;
}
