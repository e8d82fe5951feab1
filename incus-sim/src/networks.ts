import { type Answer, created, done, sync } from './answers.ts';
import type { Engine } from './engine.ts';
import { etagHeader, etagOf, refuseStale } from './etag.ts';
import { hostInterfaceView, idleInterface } from './instance-view.ts';
import { askedMember, refuseUnlessAllAnswer } from './members.ts';
import type { Config, Model, Network } from './model.ts';
import { aclNames } from './network-acls.ts';
import { refuse } from './refusal.ts';
import { type Call, jsonBody, part, type Routes } from './router.ts';
import { instancePath, urlIn } from './urls.ts';

// All networks belong to the default project, because no project of Berth has `features.networks`.

interface NewNetwork {
  name: string;
  type?: string;
  description?: string;
  config?: Config;
}

const option =
  /^(ipv[46]\.|dns\.|bridge\.|raw\.|security\.|fan\.|bgp\.|tunnel\.|user\.|volatile\.)/;
const madeUp: Config = { 'ipv4.address': '10.123.45.1/24', 'ipv6.address': 'fd42:5e5e:1::1/64' };

export function networkRoutes({ model }: Engine): Routes {
  return {
    'POST /1.0/networks': (call) => create(model, call),
    'GET /1.0/networks': (call) => {
      askedMember(model, call.query.get('target'));
      const managed = Array.from(model.networks.values(), (network) => view(model, network));
      const bridges = Array.from(model.hostBridges, (name) => unmanagedView(name, 'bridge'));
      const own = Object.entries(hostInterfaces).map(([name, type]) => unmanagedView(name, type));
      return sync([...managed, ...bridges, ...own]);
    },
    'GET /1.0/networks/:name': (call) => {
      if (!model.projects.has(call.project)) refuse('Project not found', 404);
      askedMember(model, call.query.get('target'));
      const name = part(call, 'name');
      if (model.hostBridges.has(name)) return sync(unmanagedView(name, 'bridge'));
      const network = model.networks.get(name) ?? refuse('Network not found', 404);
      return sync(view(model, network), etagHeader(etagOf(network.config)));
    },
    'GET /1.0/networks/:name/state': (call) => {
      const member = askedMember(model, call.query.get('target'));
      const name = part(call, 'name');
      const instance = model.hostInterfaces.get(name);
      if (instance) return sync(hostInterfaceView(instance));
      return sync({ ...idleInterface, addresses: hostAddresses(model, member, name).map(shown) });
    },
    'PATCH /1.0/networks/:name': (call) => configure(model, call),
    'DELETE /1.0/networks/:name': (call) => {
      const network =
        model.networks.get(part(call, 'name')) ??
        refuse('Failed loading network: Network not found', 404);
      if (network.users.size > 0) refuse('The network is currently in use', 400);
      model.networks.delete(network.name);
      return done();
    },
  };
}

async function configure(model: Model, call: Call): Promise<Answer> {
  const network = model.networks.get(part(call, 'name')) ?? refuse('Network not found', 404);
  const { config = {} } = await jsonBody<Pick<NewNetwork, 'config'>>(call);
  refuseStale(call, etagOf(network.config));
  const wanted = { ...network.config, ...config };
  refuseUnknown(network.name, wanted);
  const missing = aclNames(wanted).find((name) => !model.acls.has(name));
  if (missing !== undefined) refuse(`Network ACL "${missing}" does not exist`, 400);
  refuseUnlessAllAnswer(model);
  network.config = wanted;
  return done();
}

function refuseUnknown(name: string, config: Config): void {
  const unknown = Object.keys(config).find((key) => !option.test(key));
  if (unknown !== undefined) refuse(`Invalid option for network "${name}" option "${unknown}"`);
}

/** Interfaces that each host has in addition to its bridges, with their types. */
const hostInterfaces = { lo: 'loopback', eth0: 'physical' };

/** Addresses of the host on one of its interfaces. */
function hostAddresses({ members, networks, hostBridges }: Model, member: string, name: string) {
  if (name === 'lo') return ['127.0.0.1/8', '::1/128'];
  if (name === 'eth0') return [`${members.get(member)?.address.split(':')[0] ?? '10.255.0.1'}/24`];
  if (hostBridges.has(name)) return [];
  const { config } = networks.get(name) ?? refuse(`Network interface "${name}" not found`, 404);
  return [config['ipv4.address'], config['ipv6.address']].filter(
    (address) => address !== undefined && address !== 'none',
  );
}

function shown(cidr = '') {
  const [address = '', netmask] = cidr.split('/');
  const scope = ['127.0.0.1', '::1'].includes(address) ? 'local' : 'global';
  return { family: address.includes(':') ? 'inet6' : 'inet', address, netmask, scope };
}

async function create(model: Model, call: Call): Promise<Answer> {
  const wanted = await jsonBody<NewNetwork>(call);
  const { name, type = 'bridge', description = '', config = {} } = wanted;
  if (model.networks.has(name)) refuse(`Network "${name}" already exists`, 409);
  refuseUnknown(name, config);
  // In a cluster, the keys of each member are sent first, and nothing is created yet.
  if (call.query.get('target') === null) addNetwork(model, { name, type, description, config });
  return created(`/1.0/networks/${name}`);
}

/** Also used for the initial objects of a simulator. */
export function addNetwork(
  model: Model,
  { name, type, description, config }: Required<NewNetwork>,
): void {
  const chosen = Object.entries(madeUp).map(([key, value]) => {
    const given = config[key] ?? 'auto';
    return [key, given === 'auto' ? value : given];
  });
  model.networks.set(name, {
    name,
    type,
    description,
    config: { ...config, ...Object.fromEntries(chosen) },
    users: new Set(),
    claims: new Map(),
  });
}

/** A network that Incus does not manage. */
const unmanagedView = (name: string, type: string) => ({
  name,
  type,
  description: '',
  config: {},
  managed: false,
  status: '',
  locations: null,
  project: 'default',
  used_by: [],
});

function view({ members }: Model, { name, type, description, config, users }: Network) {
  return {
    name,
    type,
    description,
    config,
    managed: true,
    status: 'Created',
    locations: members.size === 0 ? ['none'] : [...members.keys()],
    project: 'default',
    used_by: Array.from(users, (user) => urlIn(user.project.name, instancePath(user.name))),
  };
}
