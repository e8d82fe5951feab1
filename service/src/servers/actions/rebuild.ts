import { ServerRebuild } from '@berth/contract/servers';
import { requireLocation } from '../../locations/queries.ts';
import { nodeById } from '../../nodes/queries.ts';
import { placeServer } from '../../placement/placement.ts';
import { invalidFields, Problem } from '../../problems/problem.ts';
import { sealSecrets } from '../creation/create.ts';
import { requireLogin, wayInErrors } from '../creation/login.ts';
import { createOperation } from '../operations/create.ts';
import { setRebuilding } from '../queries.ts';
import { defineServerAction } from './define.ts';

export const rebuildAction = defineServerAction({
  name: 'rebuild',
  operation: createOperation,
  summary: 'Rebuild a server whose node is lost',
  description:
    'Rebuilds a server on another node after its node was declared lost, with the same ID, IP addresses and size, from ' +
    'the image of its operating system. The data of the server is lost.',
  accepted: 'The server is being rebuilt.',
  body: ServerRebuild,
  problems: ['no_capacity', 'server_not_lost'],
  async read({ body, caller }, { secretKey }) {
    const errors = wayInErrors(body);
    if (errors.length > 0) throw invalidFields(errors);
    // Hashing takes milliseconds, so it is done before the transaction, which holds locks.
    const secrets = await sealSecrets(body, secretKey, `project:${caller.project.id}`);
    return { secrets, body, commands: body.initialCommands.length };
  },
  from: ['error'],
  to: 'started',
  isPossible: ({ rebuild }) => rebuild,
  refuse: () => notLost,
  async check({ trx }, server) {
    const { lost } = await nodeById(trx, server.node_id);
    if (!lost) throw notLost;
  },
  async begin({ trx, project }, server, { secrets, body, commands }) {
    const login = await requireLogin(project, body);
    const location = await requireLocation(trx, server.location_id);
    const { cpu, ram_mb: ramMb, disk_gb: diskGb, group_name: group } = server;
    const { nodeId, placement } = await placeServer(trx, project, location, {
      ...{ cpu, ramMb, diskGb, group },
    });
    await setRebuilding(project, server.id, { nodeId, commands, login });
    return { state: { commands }, placement, secrets: (id) => secrets(server.id, id, login) };
  },
});

const notLost = new Problem(
  'server_not_lost',
  'Only a server whose node was declared lost can be rebuilt.',
);
