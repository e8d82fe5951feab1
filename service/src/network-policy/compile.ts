import type { AclRule, AclRules } from '../incus/network-acls.ts';
import {
  type Family,
  familyOf,
  includes,
  type Ranges,
  rangeOf,
  rangesOf,
  textOf,
  union,
  within,
  without,
} from './ranges.ts';
import { internet } from './special-use.ts';

export type Smtp = 'blocked' | 'open';

/** An address and port at which a service serves the API. */
export interface ApiAddress {
  ip: string;
  port: number;
}

export interface Policy {
  /** The subnets of the location's network. */
  subnets: readonly string[];
  /** The addresses of its nodes. */
  nodes: readonly string[];
  /** Public addresses of nodes of other locations, and of services. */
  elsewhere: readonly string[];
  /** Addresses and networks that an operator keeps closed. */
  protected: readonly string[];
  /** IPv6 addresses that servers have, or will soon. */
  held: readonly string[];
  /** Whether others than servers of this location are on the network. */
  isShared: boolean;
  /** Networks that servers may reach in addition to the Internet. */
  allowed: readonly string[];
  smtp: Smtp;
  api: readonly ApiAddress[];
}

/**
 * Compiles the rules of a location's network. Incus applies drops first, then allows, and drops the
 * rest. A packet from one server to another passes the rules of both directions, and is accepted by
 * the first rule that allows it; so what is allowed inwards must be dropped outwards. No rule has
 * an empty list of addresses, which would mean all addresses, and no two rules are equal, which
 * Incus refuses.
 */
export function compilePolicy(policy: Policy): AclRules {
  const rules = ([4, 6] as const).map((family) => compileFamily(policy, family));
  return {
    egress: rules.flatMap(({ egress }) => egress),
    ingress: rules.flatMap(({ ingress }) => ingress),
  };
}

function compileFamily(policy: Policy, family: Family): AclRules {
  const subnets = rangesOf(policy.subnets, family);
  const open = reachable(policy, family);
  const api = apiBeyond(policy, open, family);
  const apiAddresses = union(...api.map(({ ip }) => rangeOf(ip)));
  const ports = [...new Set(api.map(({ port }) => port))];
  const ofPort = (port: number) =>
    union(...api.filter((one) => one.port === port).map(({ ip }) => rangeOf(ip)));
  const to = (set: Ranges, rule: Omit<AclRule, 'destination'>) => rulesTo(set, family, rule);
  return {
    egress: [
      ...to(without(subnets, union(open, apiAddresses)), { action: 'drop' }),
      ...(policy.smtp === 'blocked'
        ? to(open, { action: 'drop', protocol: 'tcp', destination_port: '25' })
        : []),
      ...to(open, { action: 'allow' }),
      ...ports.flatMap((port) =>
        to(ofPort(port), { action: 'allow', protocol: 'tcp', destination_port: String(port) }),
      ),
    ],
    ingress: to(within(subnets, entered(policy, family)), { action: 'allow' }),
  };
}

/**
 * The Internet, and the allowed networks. Nodes, services, the servers' own subnets and protected
 * addresses are only reachable with an entry that equals one of them, or is a part of one: a wider
 * entry does not include them.
 */
function reachable(policy: Policy, family: Family): Ranges {
  const { subnets, nodes, elsewhere } = policy;
  const ofFamily = (texts: readonly string[]) =>
    texts.filter((text) => familyOf(text) === family).map(rangeOf);
  // A private address means another machine in each location.
  const ofOthers = ofFamily(elsewhere).filter((one) => includes(internet[family], one));
  const guarded = [...ofFamily([...subnets, ...nodes, ...policy.protected]), ...ofOthers];
  const entries = ofFamily(policy.allowed);
  const opened = entries.map((entry) => {
    const inside = guarded.filter((one) => includes([entry], one) && !includes([one], entry));
    return without([entry], union(...inside));
  });
  return union(without(internet[family], union(...guarded)), ...opened);
}

/** Public addresses of the API that are not reached as part of the Internet: those of nodes and services. */
function apiBeyond({ api }: Policy, open: Ranges, family: Family): ApiAddress[] {
  return api.filter(
    ({ ip }) =>
      familyOf(ip) === family &&
      includes(internet[family], rangeOf(ip)) &&
      !includes(open, rangeOf(ip)),
  );
}

const blockBits = 8n;

/**
 * The destinations of incoming packets. For IPv6 these are only blocks of 256 addresses with taken
 * ones, because a node does a neighbour lookup for each address that is sent to, and one block more
 * for the next server.
 */
function entered({ subnets, held, isShared }: Policy, family: Family): Ranges {
  if (family === 4 || isShared) return rangesOf(subnets, family);
  const blocks = held
    .filter((ip) => familyOf(ip) === family)
    .map((ip) => rangeOf(ip).from >> blockBits);
  return union(
    ...blocks.map((block) => ({ from: block << blockBits, to: ((block + 2n) << blockBits) - 1n })),
  );
}

function rulesTo(set: Ranges, family: Family, rule: Omit<AclRule, 'destination'>): AclRule[] {
  if (set.length === 0) return [];
  return [{ ...rule, destination: set.map((range) => textOf(range, family)).join(',') }];
}
