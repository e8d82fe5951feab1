import { items } from '@berth/client';
import type { Cli } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import { gib, mib } from '../output/values.ts';
import { ownProject } from '../projects/own.ts';
import { ask } from '../prompts/ask.ts';
import type { Schemas } from '../schemas.ts';
import { priceInWords } from '../sizes/price.ts';
import { collect } from '../verbs/collect.ts';

type Size = Schemas['Size'];

/** Lets somebody choose one of the sizes. Undefined if there are none, or if another size is wanted. */
export async function offerSizes(
  cli: Cli,
  place: Pick<Schemas['Location'], 'id'> | undefined,
  system: Pick<Schemas['OperatingSystem'], 'minimum'> | undefined,
): Promise<{ size: string } | undefined> {
  const query = { deprecated: false, ...(place && { location_id: [place.id] }) };
  const [sizes, isRequired] = await Promise.all([
    collect(items(cli.berth(), '/v1/sizes', { params: { query } })),
    needsSize(cli),
  ]);
  if (sizes.length === 0 && isRequired) {
    throw usageFailure('The project needs a size, and there is none at this location.');
  }
  if (sizes.length === 0) return undefined;
  const widest = Math.max(...sizes.map(({ name }) => name.length));
  const choices = sizes.map((size) => ({
    value: { size: size.name },
    name: `${size.name.padEnd(widest)}  ${inWords(size)}`,
    disabled: isTooSmall(size, system) ? '(too small for the operating system)' : false,
  }));
  const others = { value: undefined, name: 'another: choose cores, memory and disk' };
  return await ask(cli.io, ({ select }, context) =>
    select<{ size: string } | undefined>(
      { message: 'Size:', choices: isRequired ? choices : [...choices, others] },
      context,
    ),
  );
}

async function needsSize(cli: Cli): Promise<boolean> {
  const path = { id: await ownProject(cli) };
  return (await cli.berth().GET('/v1/projects/{id}', { params: { path } })).data.sizes_only;
}

function inWords({ cpu, ram, disk, price }: Size): string {
  const parts = `${cpu} CPU, ${mib(ram)}, ${gib(disk)}`;
  return price ? `${parts}: ${priceInWords(price)}` : parts;
}

const isTooSmall = (
  { ram, disk }: Size,
  system: Pick<Schemas['OperatingSystem'], 'minimum'> | undefined,
) => system !== undefined && (ram < system.minimum.ram || disk < system.minimum.disk);
