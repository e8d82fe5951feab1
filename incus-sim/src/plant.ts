import type { Engine } from './engine.ts';
import { plantImage } from './images.ts';
import { addProject } from './model.ts';
import { addNetwork } from './networks.ts';
import { addPool } from './pools.ts';

/** The resources that a location needs, by name. */
export interface Belongings {
  project: string;
  pool: string;
  network: string;
  /** Aliases of the project's images, which are for containers. */
  imageAliases: string[];
  /** Whether their containers start with cloud-init, like those of images that Berth has not built. */
  byCloudInit?: boolean;
}

/** Creates them as if they had existed before the first request. */
export function plant(
  { model }: Engine,
  { project, pool, network, imageAliases, byCloudInit = false }: Belongings,
) {
  const made = addProject(model, {
    name: project,
    description: 'Simulated servers',
    config: { 'features.networks': 'false' },
  });
  for (const alias of imageAliases) plantImage(made, alias, { byCloudInit });
  const description = 'Simulated';
  addPool(model, { name: pool, driver: 'btrfs', description, config: { size: '100GiB' } });
  const config = { 'ipv4.nat': 'true', 'ipv6.nat': 'true', 'ipv6.dhcp.stateful': 'true' };
  addNetwork(model, { name: network, type: 'bridge', description, config });
}
