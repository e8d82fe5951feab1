import { BerthError } from '@berth/client';
import { withoutRequests } from './without-requests.ts';

/**
 * What is wrong with which field. `rest` is whether something else is wrong, too.
 *
 * @param codes the field that an error with such a code is about
 */
export function fieldErrors<Field extends string>(
  error: unknown,
  names: readonly Field[],
  codes: Record<string, Field> = {},
) {
  const fields: Partial<Record<Field, string>> = {};
  if (!(error instanceof BerthError)) return { fields, rest: error !== null };
  const about = codes[error.code];
  if (about) return { fields: { ...fields, [about]: withoutRequests(error.detail) }, rest: false };
  let rest = error.errors.length === 0;
  for (const { pointer = '', detail } of error.errors) {
    const [, first] = pointer.split('/');
    const name = names.find((one) => one === first);
    if (name) fields[name] ??= withoutRequests(detail);
    else rest = true;
  }
  return { fields, rest };
}
