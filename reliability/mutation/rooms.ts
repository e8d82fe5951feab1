/**
 * Code for which the documentation makes promises, and the tests of its folder that must detect
 * changes.
 */
export interface Room {
  /** Files, or patterns of files; tests among them are left out. */
  code: string[];
  tests: string[];
}

const service = 'service/src';

/** Tests by name, so that a renamed test is noticed. */
const testsIn = (folder: string, ...names: string[]) =>
  names.map((name) => `${service}/${folder}/${name}.test.ts`);

/** A folder, including those in it, whose tests are beside its code. */
const folder = (name: string): Room => ({
  code: [`${service}/${name}/**/*.ts`],
  tests: testsIn(name, '**/*'),
});

/** Reconcilers trigger each other, so that the tests of all may detect a change to one. */
const reconcilerTests = [
  ...testsIn('reconcilers', '**/*'),
  ...testsIn('reconciler-runtime', '*'),
  ...testsIn('servers', 'sightings', 'truth-queries', 'truth-races'),
];

export const rooms: Readonly<Record<string, Room>> = {
  operations: {
    code: [`${service}/operations/**/*.ts`],
    tests: [
      ...testsIn('operations', '**/*'),
      ...testsIn('servers/cancellation', '*'),
      ...testsIn('openapi', 'current'),
    ],
  },
  'reconciler-runtime': { code: [`${service}/reconciler-runtime/*.ts`], tests: reconcilerTests },
  reconcilers: { code: [`${service}/reconcilers/!(truth).ts`], tests: reconcilerTests },
  location: { code: [`${service}/reconcilers/location/*.ts`], tests: reconcilerTests },
  drift: { code: [`${service}/reconcilers/drift/*.ts`], tests: reconcilerTests },
  truth: {
    code: [`${service}/reconcilers/truth.ts`, `${service}/servers/truth*.ts`],
    tests: reconcilerTests,
  },
  changes: {
    code: [`${service}/{changes,refusals}/*.ts`],
    tests: [...testsIn('changes', '*'), ...testsIn('refusals', '*'), ...testsIn('audit', '*')],
  },
  access: {
    code: [
      `${service}/access/{authentication,by-session,by-token}.ts`,
      `${service}/callers/{credential-cache,scopes,wanted-project}.ts`,
    ],
    tests: [
      ...testsIn('access', '*'),
      ...testsIn('callers', '*'),
      ...testsIn('http', 'access', 'access-roles'),
    ],
  },
  credentials: {
    code: [`${service}/tokens/**/*.ts`],
    tests: [...testsIn('tokens', '*'), ...testsIn('openapi', 'current')],
  },
  addresses: {
    code: [`${service}/address-pools/*.ts`],
    tests: [...testsIn('address-pools', '*'), ...testsIn('reconcilers', 'unknown-instances')],
  },
  quota: { code: [`${service}/projects/quota.ts`], tests: testsIn('projects', '*') },
  placement: folder('placement'),
  counters: {
    code: [`${service}/usage/record/{counters,figures,record,reading-queries}.ts`],
    tests: [
      ...testsIn('usage/record', '*'),
      ...testsIn('usage/collect', 'last-reading'),
      ...testsIn('usage', 'months', 'queries.long', 'metering.property'),
    ],
  },
  statements: {
    code: [`${service}/statements/**/*.ts`, `${service}/sizes/decimal.ts`],
    tests: [
      ...testsIn('statements', '*'),
      ...testsIn('sizes', 'decimal'),
      ...testsIn('openapi', 'current'),
    ],
  },
};
