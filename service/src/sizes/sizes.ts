import type { SizeCreate, SizeUpdate } from '@berth/contract/sizes';
import type { Trx } from '../db/connection.ts';
import { counted } from '../lib/counted.ts';
import { existingLocations } from '../locations/queries.ts';
import { type FieldError, invalidFields, Problem } from '../problems/problem.ts';
import { millionthsOf } from './decimal.ts';
import {
  countServersOf,
  findSize,
  findSizesNamed,
  insertSize,
  lockSizeForDeletion,
  lockSizes,
  markSizeDeleted,
  type Price,
  type ShownSize,
  setPrice,
  updateSize,
} from './queries.ts';
import { priceOf } from './view.ts';

export function sizeNotFound(id: number | string): Problem {
  return new Problem('size_not_found', `No size has the id ${id}.`);
}

/** Adds a size, which servers can get at once. Throws `name_taken` (409), and 422 for a price or locations that can't be. */
export async function createSize(trx: Trx, body: SizeCreate): Promise<ShownSize> {
  await requirePossible(trx, body);
  await lockSizes(trx);
  await requireFreeName(trx, body.name);
  const id = await insertSize(trx, {
    name: body.name,
    description: body.description ?? '',
    cpu: body.cpu,
    ram_mb: body.ram,
    disk_gb: body.disk,
    traffic_allowance: body.traffic_allowance ?? null,
    location_ids: body.location_ids ?? null,
  });
  if (body.price) await setPrice(trx, id, wholePrice(body.price));
  return await requireSize(trx, id);
}

/** Changes a size. A price applies to all hours from now on, also to those of servers that have the size. */
export async function changeSize(
  trx: Trx,
  id: number,
  body: SizeUpdate,
): Promise<{ before: ShownSize; row: ShownSize }> {
  await lockSizes(trx);
  const before = await requireSize(trx, id);
  await requirePossible(trx, body);
  if (body.name !== undefined) await requireFreeName(trx, body.name, id);
  await updateSize(trx, id, {
    name: body.name ?? before.name,
    description: body.description ?? before.description,
    traffic_allowance:
      body.traffic_allowance === undefined ? before.traffic_allowance : body.traffic_allowance,
    location_ids: body.location_ids === undefined ? before.location_ids : body.location_ids,
    deprecated: body.deprecated ?? before.deprecated,
  });
  if (body.price !== undefined) {
    const price = body.price && wholePrice(body.price);
    if (!isSamePrice(price, priceOf(before))) await setPrice(trx, id, price);
  }
  return { before, row: await requireSize(trx, id) };
}

/** Deletes a size, unless servers have it or are about to. */
export async function deleteSize(trx: Trx, id: number): Promise<ShownSize> {
  await lockSizes(trx);
  const size = await requireSize(trx, id);
  await lockSizeForDeletion(trx, id);
  const servers = await countServersOf(trx, id);
  if (servers > 0) {
    const detail =
      `${counted(servers, 'server')} ${servers === 1 ? 'has' : 'have'} the size ${size.name}. Set \`deprecated\` so that no ` +
      'others get it, and delete it when these servers are gone or have another size.';
    throw new Problem('size_in_use', detail);
  }
  await markSizeDeleted(trx, id);
  return size;
}

async function requireSize(trx: Trx, id: number): Promise<ShownSize> {
  const size = await findSize(trx, id);
  if (!size) throw sizeNotFound(id);
  return size;
}

async function requireFreeName(trx: Trx, name: string, besidesId?: number): Promise<void> {
  const [other] = await findSizesNamed(trx, name);
  if (!other || other.id === besidesId) return;
  const detail = `The size ${other.id} already has the name ${other.name}. Choose another name.`;
  throw new Problem('name_taken', detail);
}

type Settings = Pick<SizeCreate, 'price' | 'location_ids'>;

async function requirePossible(trx: Trx, { price, location_ids: ids }: Settings): Promise<void> {
  const errors = [
    ...priceErrors(price),
    ...currencyErrors(price),
    ...(await locationErrors(trx, ids ?? [])),
  ];
  if (errors.length > 0) throw invalidFields(errors);
}

/** The likely mistake is that both were exchanged. */
function priceErrors(price: Settings['price']): FieldError[] {
  if (!price?.monthly || millionthsOf(price.monthly) >= millionthsOf(price.hourly)) return [];
  const detail = `Must be at least ${price.hourly}, the price of an hour.`;
  return [{ pointer: '/price/monthly', detail }];
}

function currencyErrors(price: Settings['price']): FieldError[] {
  // Read only here, because the data of a locale take 20 ms to load, and 5 MB.
  if (!price || Intl.supportedValuesOf('currency').includes(price.currency)) return [];
  const detail = `No currency has the code ${price.currency} in ISO 4217. Use one such as EUR.`;
  return [{ pointer: '/price/currency', detail }];
}

async function locationErrors(trx: Trx, ids: number[]): Promise<FieldError[]> {
  if (ids.length === 0) return [];
  const known = new Set(await existingLocations(trx, ids));
  return ids.flatMap((id, at) => {
    if (known.has(id)) return [];
    const detail = `No location has the id ${id}. List the locations with GET /v1/locations.`;
    return [{ pointer: `/location_ids/${at}`, detail }];
  });
}

function wholePrice({ hourly, monthly, currency }: NonNullable<Settings['price']>): Price {
  return { hourly, monthly: monthly ?? null, currency };
}

/** Whether both are shown alike, so that no other period begins: `4.5` and `4.50` are not. */
function isSamePrice(one: Price | null, other: Price | null): boolean {
  return (
    one?.hourly === other?.hourly &&
    one?.monthly === other?.monthly &&
    one?.currency === other?.currency
  );
}
