import { BerthError, type paths } from '@berth/client';
import type { WebhookType } from '../events/types.ts';

type NewWebhook = paths['/v1/webhooks']['post']['requestBody']['content']['application/json'];
type Change = paths['/v1/webhooks/{id}']['patch']['requestBody']['content']['application/json'];

export const names = ['name', 'url', 'types', 'label_selector', 'headers'] as const;
export const codes = { name_taken: 'name' } as const;

/** The body of the request for a new webhook, for what somebody has entered. */
export function newWebhookOf(form: FormData): NewWebhook {
  const headers = readHeaders(textOf(form, 'headers'));
  return { ...fieldsOf(form), ...(Object.keys(headers).length > 0 && { headers }) };
}

/** That for a change. Headers stay unless others are given, or all are to be removed. */
export function changeOf(form: FormData): Change {
  const headers = readHeaders(textOf(form, 'headers'));
  const isChanged = Object.keys(headers).length > 0 || form.get('remove_headers') !== null;
  return { ...fieldsOf(form), ...(isChanged && { headers }) };
}

function fieldsOf(form: FormData) {
  return {
    name: textOf(form, 'name'),
    url: textOf(form, 'url'),
    types: typesOf(form),
    label_selector: textOf(form, 'label_selector'),
  };
}

const textOf = (form: FormData, name: string) => String(form.get(name) ?? '').trim();

/** For the API, none are all. Somebody who has chosen none does not mean that. */
function typesOf(form: FormData): WebhookType[] {
  if (form.get('which') === 'all') return [];
  const types = form.getAll('types') as WebhookType[];
  if (types.length === 0) throw invalid('/types', 'Choose at least one type.');
  return types;
}

/** Headers, one per line: `Authorization: Bearer 5f2a`. */
function readHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line.trim()) ?? [];
    if (!name || !value.trim())
      throw invalid('/headers', 'Must be one header per line, such as Authorization: Bearer 5f2a.');
    return [name.trim(), value.trim()];
  });
  return Object.fromEntries(pairs);
}

/** As the service says it. */
const invalid = (pointer: string, detail: string) =>
  new BerthError('validation_failed', detail, { errors: [{ pointer, detail }] });
