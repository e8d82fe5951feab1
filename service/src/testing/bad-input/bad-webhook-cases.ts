import { type BadCase, notText, post, type Row } from './bad-input-cases.ts';

const invalid = { status: 422, code: 'validation_failed' };
const url = 'https://hooks.example.com/';

const badUrls: Row[] = [
  ...notText,
  ['empty', ''],
  ['no URL', 'hooks'],
  ['without a host', 'https://'],
  ['not https', 'http://hooks.example.com/'],
  ['of another protocol', 'ftp://hooks.example.com/'],
  ['with a password', 'https://ada:secret@hooks.example.com/'],
  ['with a fragment', 'https://hooks.example.com/#a'],
  ['with a space', 'https://hooks.example.com/a b'],
  ['with a line feed', 'https://hooks.example.com/\n'],
  ['with NUL', 'https://hooks.example.com/\0'],
  ['with half a character', 'https://hooks.example.com/\ud83d'],
  ['on the port of another protocol', 'https://hooks.example.com:25/'],
  ['on a port that is none', 'https://hooks.example.com:99999/'],
  ['on this machine', 'https://127.0.0.1/'],
  ['on this machine by name', 'https://localhost/'],
  ['on a private address', 'https://10.0.0.1/'],
  ['of 2049 characters', `${url}${'x'.repeat(2049 - url.length)}`],
];

const badTypes: Row[] = [
  ['a text', 'server.started'],
  ['null', null],
  ['an unknown one', ['server.exploded'], '/types/0'],
  ['one of nodes', ['node.offline'], '/types/0'],
  ['a test', ['webhook.test'], '/types/0'],
  ['a number', [1], '/types/0'],
  ['one twice', ['server.started', 'server.started']],
];

const badSelectors: Row[] = [
  ...notText,
  ['that is none', 'a=b=c'],
  ['of 1025 characters', `a=${'b'.repeat(1023)}`],
];

const header = (name: string, value: unknown = 'x') => ({ [name]: value });
const badHeaders: Row[] = [
  ['a text', 'x'],
  ['null', null],
  ['a list', ['x']],
  ['11 of them', Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`x-${n}`, 'x']))],
  ['a number', header('x-a', 1), '/headers/x-a'],
  ['an empty value', header('x-a', ''), '/headers/x-a'],
  ['a value with a line feed', header('x-a', 'a\nb: c'), '/headers/x-a'],
  ['a value with a space at its end', header('x-a', 'a '), '/headers/x-a'],
  ['a value that is not ASCII', header('x-a', 'ä'), '/headers/x-a'],
  ['a value of 1025 characters', header('x-a', 'x'.repeat(1025)), '/headers/x-a'],
  ['Host', header('Host'), '/headers/Host'],
  ['Content-Length', header('content-length', '0'), '/headers/content-length'],
  ['Transfer-Encoding', header('Transfer-Encoding', 'chunked'), '/headers/Transfer-Encoding'],
  ['the signature', header('Webhook-Signature'), '/headers/Webhook-Signature'],
];

const badBooleans: Row[] = [
  ['a text', 'yes'],
  ['null', null],
  ['a number', 1],
];

/** Every field of a webhook, with every kind of invalid value. */
export function webhookCases(): BadCase[] {
  const rows: Record<string, Row[]> = {
    ...{ url: badUrls, types: badTypes, label_selector: badSelectors, headers: badHeaders },
    ...{ enabled: badBooleans, name: [...notText, ['empty', ''], ['digits', '7']] },
    secret: [['of the caller', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']],
  };
  const fields = Object.entries(rows).flatMap(([field, of]) =>
    of.map(([name, value, pointer = `/${field}`]) => ({
      name: `${field}: ${name}`,
      request: post('/v1/webhooks', { name: 'bad', url, [field]: value }),
      ...invalid,
      pointers: [pointer],
    })),
  );
  return [
    ...fields,
    {
      name: 'neither a name nor a URL',
      request: post('/v1/webhooks', {}),
      ...invalid,
      pointers: ['/name', '/url'],
    },
    ...['0', '1', 'nobody'].map((id) => ({
      name: `a test of ${id}`,
      request: post(`/v1/webhooks/${id}/test`, {}),
      status: 404,
      code: 'webhook_not_found',
    })),
  ];
}
