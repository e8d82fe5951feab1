/** Code that holds a promise, and the tests of its own folder that are to guard it. */
export interface Room {
  /** Files, or patterns of files; tests among them are left out. */
  code: string[];
  tests: string[];
}

const service = 'service/src';

/** Tests by name, so that one that is renamed is missed. */
const testsIn = (folder: string, ...names: string[]) =>
  names.map((name) => `${service}/${folder}/${name}.test.ts`);

/** A folder whose tests stand beside its code. */
const folder = (name: string): Room => ({
  code: [`${service}/${name}/*.ts`],
  tests: testsIn(name, '*'),
});

export const rooms: Readonly<Record<string, Room>> = {
  operations: folder('operations'),
  reconcilers: {
    code: [`${service}/reconcilers/*.ts`, `${service}/servers/truth*.ts`],
    tests: [...testsIn('reconcilers', '*'), ...testsIn('servers', 'sightings')],
  },
  changes: {
    code: [`${service}/http/{change,audit,audit-entry,idempotency,idempotency-queries}.ts`],
    tests: [...testsIn('http', 'idempotency'), ...testsIn('audit', '*')],
  },
  access: {
    code: [
      `${service}/http/{authentication,credential-cache,by-session,by-token,scopes,wanted-project}.ts`,
    ],
    tests: testsIn('http', 'authentication', 'credential-cache', 'access', 'access-roles'),
  },
  credentials: folder('tokens'),
  addresses: folder('addresses'),
  quota: { code: [`${service}/projects/quota.ts`], tests: testsIn('projects', '*') },
  placement: {
    code: [`${service}/nodes/{choice,placement,room-queries}.ts`],
    tests: testsIn('nodes', 'choice', 'placement'),
  },
  counters: {
    code: [`${service}/usage/{counters,figures,record,reading-queries}.ts`],
    tests: testsIn(
      'usage',
      ...['counters', 'figures', 'months', 'queries.long', 'last-reading', 'metering.property'],
    ),
  },
  statements: folder('statements'),
};
