import { isIP } from 'node:net';
import { created, done, sync } from './answers.ts';
import type { Engine } from './engine.ts';
import { etagHeader, etagOf, refuseStale } from './etag.ts';
import { refuseUnlessAllAnswer } from './members.ts';
import type { Acl, AclRule, Config, Model } from './model.ts';
import { refuse } from './refusal.ts';
import { type Call, jsonBody, part, type Routes } from './router.ts';

// All ACLs belong to the default project, because no project of Berth has `features.networks`.

interface Wanted {
  name: string;
  description?: string;
  config?: Config;
  egress?: AclRule[];
  ingress?: AclRule[];
}

export function networkAclRoutes({ model }: Engine): Routes {
  return {
    'POST /1.0/network-acls': async (call) => {
      const wanted = await jsonBody<Wanted>(call);
      const { name } = wanted;
      if (model.acls.has(name)) refuse('The network ACL already exists', 400);
      model.acls.set(name, { name, ...changeable(wanted) });
      return created(`/1.0/network-acls/${name}`);
    },
    'GET /1.0/network-acls/:name': (call) => {
      const acl = found(model, call);
      return sync(view(model, acl), etagHeader(etagOf(acl)));
    },
    'PUT /1.0/network-acls/:name': async (call) => {
      const acl = found(model, call);
      const wanted = await jsonBody<Wanted>(call);
      refuseStale(call, etagOf(acl));
      const changed = changeable(wanted);
      if (usersOf(model, acl).length > 0) refuseUnlessAllAnswer(model);
      Object.assign(acl, changed);
      return done();
    },
    'DELETE /1.0/network-acls/:name': (call) => {
      const acl = found(model, call);
      if (usersOf(model, acl).length > 0) refuse('Cannot delete an ACL that is in use');
      model.acls.delete(acl.name);
      return done();
    },
  };
}

const found = ({ acls }: Model, call: Call): Acl =>
  acls.get(part(call, 'name')) ?? refuse('Network ACL not found', 404);

function changeable({ description = '', config = {}, egress = [], ingress = [] }: Wanted) {
  refuseBadRules('egress', egress);
  refuseBadRules('ingress', ingress);
  return { description, config, egress, ingress };
}

/** Incus checks each rule, and returns 500 for any error. */
function refuseBadRules(direction: string, rules: AclRule[]): void {
  const seen = new Map<string, number>();
  for (const [at, rule] of rules.entries()) {
    const subjects = rule.destination?.split(',') ?? [];
    const odd = subjects.find((subject) => !isSubject(subject));
    if (odd !== undefined) {
      refuse(`Invalid ${direction} rule ${at}: Invalid Destination: Invalid subject "${odd}"`);
    }
    const text = JSON.stringify(Object.entries(rule).sort());
    const first = seen.get(text);
    if (first !== undefined) refuse(`Duplicate of ${direction} rule ${first}`);
    seen.set(text, at);
  }
}

/** An address, a network, or the first and the last address of a range. */
function isSubject(text: string): boolean {
  const [first = '', last = first, ...more] = text.split('-');
  if (text.includes('-'))
    return more.length === 0 && isIP(first) !== 0 && isIP(first) === isIP(last);
  const [address = '', length = '0', ...rest] = text.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  return (
    rest.length === 0 && isIP(address) !== 0 && /^\d{1,3}$/.test(length) && Number(length) <= most
  );
}

const usersOf = ({ networks }: Model, { name }: Acl) =>
  [...networks.values()].filter(({ config }) => aclNames(config).includes(name));

/** The names of a network's ACLs. */
export const aclNames = (config: Config): string[] =>
  (config['security.acls'] ?? '').split(',').filter(Boolean);

function view(model: Model, acl: Acl) {
  const used_by = usersOf(model, acl).map(({ name }) => `/1.0/networks/${name}`);
  return { ...acl, used_by, project: 'default' };
}
