import { hasPassword, type ShownRequest } from './request.ts';
import { hereDocument, inLines, word } from './shell.ts';

const userDataFile = 'user-data.txt';

/** The create as a command of `berth`, which generates the password, and prints it. */
export function commandLineOf({ url, project, body }: ShownRequest): string {
  const { user_data, initialCommands, labels = {}, ssh_keys, size, cpu, ram, disk } = body;
  const option = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [`--${name} ${word(String(value))}`];
  const command = inLines([
    `BERTH_URL=${word(url)} berth server create ${word(body.name)}`,
    ...option('project', project),
    ...option('location', body.location_id),
    ...option('os', body.os_id),
    ...(size === undefined
      ? [...option('cpu', cpu), ...option('ram', ram), ...option('disk', disk)]
      : option('size', size)),
    ...ssh_keys.flatMap((key) => option('ssh-key', key)),
    hasPassword(body) ? '--generate-password' : '--no-password-login',
    ...initialCommands.flatMap((one) => option('command', String(one))),
    ...(user_data === undefined ? [] : option('user-data', userDataFile)),
    ...Object.entries(labels).flatMap(([key, value]) => option('label', `${key}=${value}`)),
  ]);
  if (user_data === undefined) return command;
  return hereDocument(`cat > ${userDataFile}`, user_data) + command;
}
