import { query } from '../e2e/database.ts';
import { incus } from '../e2e/incus.ts';
import type { Stack } from '../e2e/stack.ts';
import { imageAlias } from '../service/src/images/images.ts';
import { instanceDefinition } from '../service/src/servers/engine/instance.ts';
import type { ServerForOperation } from '../service/src/servers/operation-queries.ts';
import { guest, type Side } from './guest.ts';
import { answersBySsh } from './ssh-banner.ts';

/** Guests made by hand: `incus init`, `incus start`, and in each `cloud-init status --wait`. */
export async function commandLine(stack: Stack): Promise<Side> {
  const addresses = await lastAddresses(stack);
  return {
    async create(number) {
      const name = `bench-cli-${number}`;
      const own = addresses.filter((address) => address.number === number);
      const definition = guestDefinition(stack, number, own);
      await incus(stack, ['init', imageAlias(guest.os), name, '--no-profiles'], definition);
      await incus(stack, ['start', name]);
      await incus(stack, ['exec', name, '--', 'cloud-init', 'status', '--wait']);
      await answersBySsh(own.find(({ family }) => family === 4)?.ip ?? '');
      return { instance: name, remove: () => incus(stack, ['delete', '--force', name]) };
    },
  };
}

/** The definition that Berth uses, without the labels, so that Berth ignores the instance. */
function guestDefinition(
  { names }: Stack,
  number: number,
  addresses: ServerForOperation['addresses'],
) {
  const server: ServerForOperation = {
    id: 0,
    uuid: '',
    hostname: `${guest.hostname}-${number}`,
    passwordLogin: true,
    mac: `02:00:00:00:be:${number.toString(16).padStart(2, '0')}`,
    cpu: guest.cpu,
    ramMb: guest.ramMb,
    diskGb: guest.diskGb,
    locationId: 0,
    storagePool: names.pool,
    network: { kind: 'bridge', name: names.network },
    nodeId: 0,
    node: '',
    member: null,
    os: { id: 1, slug: guest.os, name: '', type: 'container', source: { build: 'debian-12' } },
    addresses,
    throttle: {},
  };
  const { config, devices } = instanceDefinition(server, '', '');
  const unlabelled = Object.entries(config).filter(([key]) => !key.startsWith('user.'));
  const userData = withSecrets(config['cloud-init.user-data']);
  return {
    config: { ...Object.fromEntries(unlabelled), 'cloud-init.user-data': userData },
    devices,
  };
}

type NumberedAddress = ServerForOperation['addresses'][number] & { number: number };

/** The last ones of each pool, one for each guest: Berth gives out the first ones first. */
async function lastAddresses({ directory }: Stack): Promise<NumberedAddress[]> {
  return await query(
    directory,
    `select number, host(last - number) as ip, masklen(cidr) as "prefixLength",
       host(gateway) as gateway, array(select host(n) from unnest(nameservers) n) as nameservers,
       family(cidr) as family
     from address_pools, generate_series(0, 9) as number order by family(cidr)`,
  );
}

/** What an administrator would pass to cloud-init instead of Berth's handover. */
function withSecrets(userData: string): string {
  const [header = '', ...body] = userData.split('\n');
  const settings = JSON.parse(body.join('\n'));
  const users = [{ name: 'root', password: guest.password, type: 'text' }];
  const chpasswd = { expire: false, users };
  return `${header}\n${JSON.stringify({ ...settings, chpasswd, runcmd: [guest.command] })}`;
}
