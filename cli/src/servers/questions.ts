import { items } from '@berth/client';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { usageFailure } from '../errors/failure.ts';
import { canAsk } from '../io.ts';
import { printable } from '../output/style.ts';
import { gib, mib } from '../output/values.ts';
import { ask } from '../prompts/ask.ts';
import type { Schemas } from '../schemas.ts';
import { collect } from '../verbs/collect.ts';
import { diskSize, memory, whole } from '../verbs/options.ts';
import { offerSizes } from './offer-sizes.ts';

interface Given {
  name?: string | undefined;
  location?: string | undefined;
  os?: string | undefined;
  size?: string | undefined;
  cpu?: number | undefined;
  ram?: number | undefined;
  disk?: number | undefined;
  sshKey?: string[] | undefined;
  passwordLogin: boolean;
  passwordStdin?: boolean | undefined;
  generatePassword?: boolean | undefined;
}

interface Answers {
  name: string;
  location: string;
  os: string;
  size: { size: string } | Parts;
  /** How root logs in, if it was asked. */
  login: { sshKey?: string[]; passwordLogin?: boolean };
}

type Location = Schemas['Location'];
type OperatingSystem = Schemas['OperatingSystem'];

const usual = { cpu: 1, ram: 1024, disk: 10 };

/** Asks for what a create needs and the options do not have. */
export async function completeAnswers(cli: Cli, given: Given): Promise<Answers> {
  const { name, location, os, cpu, ram, disk } = given;
  const size = chosenSize(given);
  const isAsking = canAsk(cli.io);
  if (!isAsking) refuseMissing(given);
  const isComplete = name && location && os && size;
  if (isComplete) return { name, location, os, size, login: await login(cli, given) };
  const [locations, systems] = await Promise.all([enabledLocations(cli), enabledSystems(cli)]);
  if (!isAsking) {
    // The rest was checked.
    const only = location ?? onlyLocation(locations);
    const checked = { name, os, size } as Pick<Answers, 'name' | 'os' | 'size'>;
    return { ...checked, location: only, login: {} };
  }
  const chosenName = name ?? (await askName(cli));
  const place = await chooseLocation(cli, locations, location);
  const system = await chooseSystem(cli, systems, place, os);
  const isOpen = [cpu, ram, disk].every((part) => part === undefined);
  const offered = size ?? (isOpen ? await offerSizes(cli, place, system) : undefined);
  return {
    name: chosenName,
    size: offered ?? (await askParts(cli, { cpu, ram, disk }, place, system)),
    location: location ?? place?.name ?? '',
    os: os ?? system?.slug ?? '',
    login: await login(cli, given),
  };
}

/** The only location need not be named. */
function refuseMissing({ name, os, size, cpu, ram, disk }: Given): void {
  const parts = size === undefined ? { '--cpu': cpu, '--ram': ram, '--disk': disk } : {};
  const options = { NAME: name, '--os': os, ...parts };
  const missing = Object.entries(options).flatMap(([option, value]) =>
    value === undefined ? [option] : [],
  );
  if (missing.length === 0) return;
  throw usageFailure(
    `The server needs ${missing.join(', ')}.`,
    'In a terminal, "berth server create" asks for what is missing.',
  );
}

function onlyLocation(locations: Location[]): string {
  const [only, ...others] = locations;
  if (only && others.length === 0) return only.name;
  const names = locations.map(({ name }) => name).join(', ');
  throw usageFailure('The server needs --location.', `The locations are ${names}.`);
}

const enabledLocations = ({ berth }: Cli) =>
  collect(items(berth(), '/v1/locations', { params: { query: { enabled: true } } }));

const enabledSystems = ({ berth }: Cli) =>
  collect(items(berth(), '/v1/operating-systems', { params: { query: { enabled: true } } }));

const askName = ({ io }: Cli) =>
  ask(io, ({ input }, context) =>
    input({ message: 'Name:', required: true, validate: isHostName }, context),
  );

const isHostName = (text: string) =>
  /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ||
  'A name consists of letters, digits, hyphens and dots, such as web-1.example.com.';

async function chooseLocation({ io }: Cli, locations: Location[], given?: string) {
  if (given !== undefined) return locations.find(isNamed(given));
  const [only, ...others] = locations;
  if (!only) throw usageFailure('There is no location where servers can be created.');
  if (others.length === 0) return only;
  return await ask(io, ({ select }, context) => {
    const choices = locations.map((value) => ({
      value,
      name: printable(`${value.name}  ${value.description}`.trimEnd()),
      disabled: value.reachable ? false : '(it cannot be reached)',
    }));
    return select({ message: 'Location:', choices }, context);
  });
}

async function chooseSystem(
  { io }: Cli,
  systems: OperatingSystem[],
  place: Location | undefined,
  given?: string,
) {
  if (given !== undefined) {
    return systems.find(
      ({ id, slug }) => String(id) === given || slug.toLowerCase() === given.toLowerCase(),
    );
  }
  const allowed = systems.filter(({ id }) => place?.os_ids?.includes(id) ?? true);
  if (allowed.length === 0) throw usageFailure('There is no operating system to install there.');
  return await ask(io, ({ select }, context) => {
    const choices = allowed.map((value) => ({
      value,
      name: printable(`${value.name} ${value.version}  (${value.slug})`),
    }));
    return select({ message: 'Operating system:', choices }, context);
  });
}

const isNamed = (given: string) => (one: { id: number; name: string }) =>
  String(one.id) === given || one.name.toLowerCase() === given.toLowerCase();

interface Parts {
  cpu: number;
  ram: number;
  disk: number;
}

/** The size or the parts that the options give, if they are complete. */
function chosenSize({ size, cpu, ram, disk }: Given): Answers['size'] | undefined {
  const isParted = [cpu, ram, disk].some((part) => part !== undefined);
  if (size !== undefined && isParted) {
    throw usageFailure('--size stands for --cpu, --ram and --disk: give either it or these.');
  }
  if (size !== undefined) return { size };
  if (cpu === undefined || ram === undefined || disk === undefined) return undefined;
  return { cpu, ram, disk };
}

async function askParts(
  cli: Cli,
  parts: { [Key in keyof Parts]: Parts[Key] | undefined },
  place: Location | undefined,
  system: OperatingSystem | undefined,
): Promise<Parts> {
  const bounds = (key: 'cpu' | 'ram' | 'disk') => {
    const { min = 1, max = Number.MAX_SAFE_INTEGER } = place?.limits[key] ?? {};
    const needed = key === 'cpu' ? 1 : (system?.minimum[key] ?? 1);
    return { min: Math.max(min, needed), max };
  };
  /** An answer has the same form as the option. */
  const number = async (
    key: keyof typeof usual,
    what: string,
    { read, typed, shown }: { read: (text: string) => number } & Record<'typed' | 'shown', Shown>,
  ) => {
    const given = parts[key];
    if (given !== undefined) return given;
    const { min, max } = bounds(key);
    const range = `${shown(min)} to ${shown(max)}`;
    const initial = typed(Math.min(Math.max(usual[key], min), max));
    const answer = await ask(cli.io, ({ input }, context) => {
      const validate = (text: string) => problemOf(text, read, { min, max, range });
      return input({ message: `${what}, ${range}:`, default: initial, validate }, context);
    });
    return read(answer.trim());
  };
  const inMib = (size: number) => (size % 1024 === 0 ? `${size / 1024}G` : `${size}M`);
  const inGib = (size: number) => `${size}G`;
  return {
    cpu: await number('cpu', 'CPU cores', { read: whole, typed: String, shown: String }),
    ram: await number('ram', 'Memory', { read: memory, typed: inMib, shown: mib }),
    disk: await number('disk', 'Disk', { read: diskSize, typed: inGib, shown: gib }),
  };
}

type Shown = (size: number) => string;

/** What is wrong with an answer, or true. */
function problemOf(
  text: string,
  read: (text: string) => number,
  { min, max, range }: { min: number; max: number; range: string },
): string | true {
  try {
    const size = read(text.trim());
    return (size >= min && size <= max) || `It must be from ${range}.`;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    throw error;
  }
}

/** Offers the SSH keys of the project, unless the options say how root logs in. */
async function login(cli: Cli, given: Given): Promise<Answers['login']> {
  const isSaid = given.sshKey || given.passwordStdin || given.generatePassword;
  if (isSaid || !given.passwordLogin || !canAsk(cli.io)) return {};
  const keys = await collect(items(cli.berth(), '/v1/ssh-keys'));
  if (keys.length === 0) return {};
  const sshKey = await ask(cli.io, ({ checkbox }, context) => {
    const choices = keys.map(({ name, fingerprint }) => ({
      value: name,
      name: printable(`${name}  ${fingerprint}`),
    }));
    return checkbox({ message: 'SSH keys of root (none: a password):', choices }, context);
  });
  return sshKey.length > 0 ? { sshKey, passwordLogin: false } : {};
}
