import type { Queryable } from '../../db/connection.ts';
import type { LocationState } from '../../locations/queries.ts';
import type { FieldError } from '../../problems/problem.ts';
import { findProject, type ProjectRow } from '../../projects/queries.ts';
import type { findSize, ShownSize } from '../../sizes/queries.ts';
import type { Parts } from './bounds.ts';

const parts = ['cpu', 'ram', 'disk'] as const;

/** Of a create and of a resize. */
export interface SizeRequest extends Parts {
  /** Its id. */
  size?: number | undefined;
}

interface Chosen {
  /** Undefined if the request gives its parts instead. */
  size: ShownSize | undefined;
  errors: FieldError[];
}

interface Choosing {
  find: typeof findSize;
  /** The size that the server has, which it may keep in any case. */
  ownId?: number | null;
  /** The project, if it was read already. */
  owner?: ProjectRow | undefined;
}

/** Reads the size that a request names. */
export async function chooseSize(
  db: Queryable,
  projectId: number,
  request: SizeRequest,
  { find, ownId, owner }: Choosing,
): Promise<Chosen> {
  const { size: id } = request;
  if (id === undefined) {
    const project = owner ?? (await findProject(db, projectId));
    return { size: undefined, errors: project?.sizes_only ? [required] : [] };
  }
  const size = await find(db, id);
  const unusable = whyUnusable(size, id, ownId);
  return { size, errors: [...(unusable ? [unusable] : []), ...combined(request)] };
}

function whyUnusable(
  size: ShownSize | undefined,
  id: number,
  ownId: number | null | undefined,
): FieldError | undefined {
  if (!size) return unknownSize(id);
  return size.deprecated && id !== ownId ? outOfUse : undefined;
}

const combined = (request: SizeRequest): FieldError[] =>
  parts
    .filter((part) => request[part] !== undefined)
    .map((part) => ({ pointer: `/${part}`, detail: 'Cannot be combined with `size`.' }));

const required: FieldError = {
  pointer: '/size',
  detail: 'Is required: servers of this project can only have the sizes of GET /v1/sizes.',
};

function unknownSize(id: number): FieldError {
  const detail = `No size has the id ${id}. List the sizes with GET /v1/sizes.`;
  return { pointer: '/size', detail };
}

const outOfUse: FieldError = {
  pointer: '/size',
  detail: 'Is out of use. Choose one of GET /v1/sizes?deprecated=false.',
};

/** The error if servers of the location can't get the size. */
export function notOfferedAt(
  { id, name }: Pick<LocationState, 'id' | 'name'>,
  size: ShownSize | undefined,
): FieldError | undefined {
  if (!size?.location_ids || size.location_ids.includes(id)) return undefined;
  const detail = `${name} does not offer it. Choose one of GET /v1/sizes?location_id=${id}.`;
  return { pointer: '/size', detail };
}
