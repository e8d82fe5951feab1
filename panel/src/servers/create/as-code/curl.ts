import { hasPassword, type ShownRequest } from './request.ts';
import { inLines, word } from './shell.ts';

/** The create as a command of curl. The token and the password are variables of the shell. */
export function curlOf({ url, project, body }: ShownRequest): string {
  return inLines([
    `curl -X POST ${word(`${url}/v1/servers`)}`,
    '-H "Authorization: Bearer $BERTH_TOKEN"',
    ...(project === undefined ? [] : [`-H ${word(`Berth-Project: ${project}`)}`]),
    ...fieldsOf(body).map(([name, value]) => dataOption(name, value)),
    ...(hasPassword(body) ? ['--data-urlencode "password=$ROOT_PASSWORD"'] : []),
  ]);
}

/** The fields of a form, as the API reads them: `labels[env]`, and `ssh_keys[]` for each key. */
function fieldsOf({ initialCommands, ...body }: ShownRequest['body']): [string, string][] {
  const fields: [string, string][] = [];
  for (const [name, value] of Object.entries(body)) {
    if (Array.isArray(value)) for (const one of value) fields.push([`${name}[]`, String(one)]);
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) fields.push([`${name}[${key}]`, String(one)]);
    else if (value !== undefined) fields.push([name, String(value)]);
  }
  // The API requires the list, which is empty with a blank item.
  const commands = initialCommands.length > 0 ? initialCommands : [''];
  for (const one of commands) fields.push(['initialCommands[]', String(one)]);
  return fields;
}

const plain = /^[\w./-]*$/;

const dataOption = (name: string, value: string) =>
  `${plain.test(value) ? '-d' : '--data-urlencode'} ${word(`${name}=${value}`)}`;
