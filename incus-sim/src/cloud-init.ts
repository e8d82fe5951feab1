import type { Instance } from './model.ts';
import type { Outcome } from './shell.ts';
import { readEntry, type Tree } from './tree.ts';

// cloud-init in a guest, as far as its user data is concerned. It knows scripts, and of a cloud-config the commands of
// `runcmd`, and `power_state`. It ignores everything else.

const seed = '/var/lib/cloud/seed/nocloud/user-data';
const vendorSeed = '/var/lib/cloud/seed/nocloud/vendor-data';
const checked = '/var/lib/cloud/instance/user-data.txt';

/** The user data that a guest has as a file; undefined without it. */
export const userDataOf = (files: Tree) => readEntry(files, seed)?.content.toString();

/** The host name in what Berth hands over to cloud-init: its own user data, or vendor data beside those of a customer. */
export function hostNameOf({
  config,
  files,
}: Pick<Instance, 'config' | 'files'>): string | undefined {
  const texts = [config['cloud-init.user-data'], readEntry(files, vendorSeed)?.content.toString()];
  return /"hostname": ?"([^"]+)"/.exec(texts.join('\n'))?.[1];
}

/** What there is to do, and what cloud-init finds invalid. */
export interface UserDataPlan {
  commands: string[];
  power?: Outcome['power'];
  schemaErrors: string;
}

export function planOf(userData: string): UserDataPlan {
  const [first = '', ...lines] = userData.split('\n');
  if (first.startsWith('#!')) return { commands: [lines.join('\n')], schemaErrors: '' };
  return first.trim() === '#cloud-config'
    ? planOfConfig(lines)
    : { commands: [], schemaErrors: '' };
}

/** Each line is a comment, an item, or a field; a list or a map in one line has its end. */
const known = /^\s*(#.*|- .+|[\w.-]+:( +([^[{\s].*|\[.*\]|\{.*\}))?\s*)?$/;

function planOfConfig(lines: string[]): UserDataPlan {
  const broken = lines.findIndex((line) => !known.test(line));
  if (broken >= 0) {
    const where = `format-l${broken + 2}.c1: File ${checked} is not valid YAML.`;
    const schemaErrors = `Error: Cloud config schema errors: ${where} could not find expected ':'\n`;
    return { commands: [], schemaErrors };
  }
  const mode = itemsOf(lines, 'power_state')
    .map((line) => /^\s+mode: (\w+)$/.exec(line)?.[1])
    .find((one) => one !== undefined);
  const commands = itemsOf(lines, 'runcmd').flatMap((line) => /^\s*- (.+)$/.exec(line)?.[1] ?? []);
  return {
    commands: commands.length > 0 ? [commands.join('\n')] : [],
    ...(mode && { power: mode === 'reboot' ? 'reboot' : 'off' }),
    schemaErrors: '',
  };
}

/** The lines that belong to a field. */
function itemsOf(lines: string[], field: string): string[] {
  const from = lines.findIndex((line) => line.startsWith(`${field}:`)) + 1;
  if (from === 0) return [];
  const length = lines.slice(from).findIndex((line) => !/^(\s|- |$)/.test(line));
  return lines.slice(from, length < 0 ? undefined : from + length);
}

const failedScript =
  "('scripts_user', RuntimeError('Runparts: 1 failures (part-001) in 1 attempted commands'))";

/** What the runner reports of it, in its form. */
export function reportOf({ schemaErrors }: UserDataPlan, statuses: number[]): string {
  const errors = statuses.some((status) => status !== 0) ? [failedScript] : [];
  const status = { errors, status: errors.length > 0 ? 'error' : 'done' };
  const parts = { status: JSON.stringify(status), schema: schemaErrors, log: '' };
  return Object.entries(parts)
    .map(([name, text]) => `user-data-${name} ${Buffer.byteLength(text)}\n${text}`)
    .join('');
}
