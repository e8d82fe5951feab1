import { type Answer, created, done, sync } from './answers.ts';
import type { Engine } from './engine.ts';
import { hostInterfaceView } from './instance-view.ts';
import { askedMember } from './members.ts';
import type { Config, Model, Network } from './model.ts';
import { refuse } from './refusal.ts';
import { type Call, jsonBody, part, type Routes } from './router.ts';
import { instancePath, urlIn } from './urls.ts';

// All networks are those of the default project: no project of ours has `features.networks`.

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
    'GET /1.0/networks/:name': (call) => {
      if (!model.projects.has(call.project)) refuse('Project not found', 404);
      askedMember(model, call.query.get('target'));
      const name = part(call, 'name');
      if (model.hostBridges.has(name)) return sync(hostBridgeView(name));
      return sync(view(model, model.networks.get(name) ?? refuse('Network not found', 404)));
    },
    'GET /1.0/networks/:name/state': (call) => {
      askedMember(model, call.query.get('target'));
      const name = part(call, 'name');
      const instance =
        model.hostInterfaces.get(name) ?? refuse(`Network interface "${name}" not found`, 404);
      return sync(hostInterfaceView(instance));
    },
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

async function create(model: Model, call: Call): Promise<Answer> {
  const wanted = await jsonBody<NewNetwork>(call);
  const { name, type = 'bridge', description = '', config = {} } = wanted;
  if (model.networks.has(name)) refuse(`Network "${name}" already exists`, 409);
  const unknown = Object.keys(config).find((key) => !option.test(key));
  if (unknown !== undefined) refuse(`Invalid option for network "${name}" option "${unknown}"`);
  // In a cluster each member is told first what is its own, and nothing is made yet.
  if (call.query.get('target') === null) addNetwork(model, { name, type, description, config });
  return created(`/1.0/networks/${name}`);
}

/** Also for what a simulator holds from its start. */
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

/** A bridge that the hosts have themselves. */
const hostBridgeView = (name: string) => ({
  name,
  type: 'bridge',
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
