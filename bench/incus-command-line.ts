import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { query } from '../e2e/database.ts';
import type { Stack } from '../e2e/stack.ts';
import { instanceDefinition } from '../service/src/servers/instance.ts';
import type { ServerForOperation } from '../service/src/servers/queries.ts';

const name = 'bench-cli';
const mac = '02:00:00:00:be:ac';
const commandSeconds = 120;

/** The same guest as Berth's, made, started and set up by hand: `incus init`, `start`, cloud-init. */
export async function commandLineCreate(
  stack: Stack,
  command: string,
): Promise<() => Promise<void>> {
  const definition = await sameDefinition(stack, command);
  const incus = (args: string[], input?: object) => run(stack, args, input);
  await incus(['init', 'berth-debian-12', name, '--no-profiles'], definition);
  await incus(['start', name]);
  await incus(['exec', name, '--', 'cloud-init', 'status', '--wait']);
  return () => incus(['delete', '--force', name]);
}

/** What Berth itself asks Incus for, with cloud-init in place of Berth's own hand-over. */
async function sameDefinition(stack: Stack, command: string) {
  const server: ServerForOperation = {
    id: 0,
    uuid: '',
    hostname: 'bench',
    mac,
    cpu: 1,
    ramMb: 512,
    diskGb: 4,
    status: 'creating',
    locationId: 1,
    storagePool: stack.names.pool,
    network: stack.names.network,
    nodeId: 1,
    node: '',
    member: null,
    os: { slug: 'debian-12', name: '', type: 'container', source: { build: 'debian-12' } },
    addresses: await lastAddresses(stack),
  };
  const { config, devices } = instanceDefinition(server, '', '');
  // Unlabelled, it is none of Berth's business.
  const settings = Object.entries(config).filter(([key]) => !key.startsWith('user.'));
  const userData = withCommand(config['cloud-init.user-data'], command);
  return { config: { ...Object.fromEntries(settings), 'cloud-init.user-data': userData }, devices };
}

/** Berth gives out the first ones first. */
async function lastAddresses({ directory }: Stack): Promise<ServerForOperation['addresses']> {
  return await query(
    directory,
    `select host(last) as ip, masklen(cidr) as "prefixLength", host(gateway) as gateway,
       array(select host(n) from unnest(nameservers) n) as nameservers, family(cidr) as family
     from address_pools order by family(cidr)`,
  );
}

function withCommand(document: string, command: string): string {
  const [header = '', ...body] = document.split('\n');
  const settings = JSON.parse(body.join('\n'));
  const chpasswd = {
    expire: false,
    users: [{ name: 'root', password: 'Correct-Horse-9', type: 'text' }],
  };
  return `${header}\n${JSON.stringify({ ...settings, chpasswd, runcmd: [command] })}`;
}

/** The command line takes the rest of an instance's definition from its standard input, as YAML. */
async function run({ names, socketPath }: Stack, args: string[], input?: object): Promise<void> {
  const child = spawn('incus', ['--project', names.project, ...args], {
    env: { ...process.env, INCUS_DIR: join(socketPath, '..') },
    stdio: ['pipe', 'ignore', 'inherit'],
    timeout: commandSeconds * 1000,
  });
  // It reads until the end, also when there is nothing to say.
  child.stdin.end(input ? JSON.stringify(input) : '');
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`incus ${args[0]} ended with ${code}.`);
}
