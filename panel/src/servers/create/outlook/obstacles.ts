import { BerthError } from '@berth/client';
import { withoutRequests } from '../../../api/without-requests.ts';
import { inWords } from '../../../api/words.ts';
import { type Field, fieldNames, fields } from '../form.ts';

/** What is in the way of a create, with the name of the field that it is about. */
export function obstaclesOf(error: unknown): string[] {
  if (!(error instanceof BerthError) || error.errors.length === 0) return [inWords(error)];
  return error.errors.map(({ pointer = '', detail }) => {
    const [, name, part] = pointer.split('/');
    const field = fields.find((one) => one === name);
    const said = withoutRequests(detail);
    return field ? `${nameOf(field, part)}: ${said}` : said;
  });
}

/** `part` is the position or the key of what is wrong in a list or a map. */
function nameOf(field: Field, part: string | undefined): string {
  if (part === undefined) return fieldNames[field];
  if (field === 'initialCommands') return `Command ${Number(part) + 1}`;
  return `${fieldNames[field]}, ${part.replaceAll('~1', '/').replaceAll('~0', '~')}`;
}
