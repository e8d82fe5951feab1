import { BerthError } from '@berth/client';

/** What somebody has entered in a field, without blanks around it. */
export const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

/** A number; null for an empty field. The service says what is wrong with others. */
export function numberOf(form: FormData, name: string): number | null {
  const text = textOf(form, name);
  return text === '' ? null : Number(text);
}

/**
 * A number that the service requires. An empty field is sent as null, about which the service says so: JSON has no `NaN`
 * (ECMA-262, "SerializeJSONProperty").
 */
export const requiredNumberOf = (form: FormData, name: string): number =>
  numberOf(form, name) ?? Number.NaN;

/** The words of a field in which several are separated by blanks, commas or lines. */
export const wordsOf = (form: FormData, name: string): string[] =>
  textOf(form, name)
    .split(/[\s,]+/)
    .filter((word) => word !== '');

/** What is wrong with which field of an object in the body, such as `quota`. A deeper field has its whole path. */
export function fieldErrorsIn(error: unknown, object: string): Record<string, string> {
  if (!(error instanceof BerthError)) return {};
  const found = error.errors.flatMap(({ pointer = '', detail }) => {
    const [, first, ...path] = pointer.split('/');
    return first === object && path.length > 0 ? [[path.join('.'), detail]] : [];
  });
  return Object.fromEntries(found);
}
