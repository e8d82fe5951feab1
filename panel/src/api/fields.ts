import { BerthError } from '@berth/client';

/** What is wrong with which field of a form. `rest` is whether something else is wrong, too. */
export function fieldErrors(error: unknown, names: readonly string[]) {
  const fields: Record<string, string> = {};
  const errors = error instanceof BerthError ? error.errors : [];
  let rest = error !== null && errors.length === 0;
  for (const { pointer, detail } of errors) {
    const name = names.find((one) => pointer === `/${one}`);
    if (name) fields[name] ??= detail;
    else rest = true;
  }
  return { fields, rest };
}
