/** Code that holds a promise, and the tests of its own folder that are to guard it. */
export interface Room {
  /** Files, or patterns of files; tests among them are left out. */
  code: string[];
  tests: string[];
}

const service = 'service/src';

/** A folder whose tests stand beside its code. */
const folder = (name: string): Room => ({
  code: [`${service}/${name}/*.ts`],
  tests: [`${service}/${name}/*.test.ts`],
});

export const rooms: Readonly<Record<string, Room>> = {
  operations: folder('operations'),
  reconcilers: {
    code: [`${service}/reconcilers/*.ts`, `${service}/servers/truth*.ts`],
    tests: [`${service}/reconcilers/*.test.ts`, `${service}/servers/sightings.test.ts`],
  },
  changes: {
    code: [`${service}/http/{change,audit,audit-entry,idempotency,idempotency-queries}.ts`],
    tests: [`${service}/http/idempotency.test.ts`, `${service}/audit/*.test.ts`],
  },
  access: {
    code: [
      `${service}/http/{authentication,credential-cache,by-session,by-token,scopes,wanted-project}.ts`,
    ],
    tests: [`${service}/http/{authentication,credential-cache,access,access-roles}.test.ts`],
  },
  credentials: folder('tokens'),
  addresses: folder('addresses'),
  quota: { code: [`${service}/projects/quota.ts`], tests: [`${service}/projects/*.test.ts`] },
  placement: {
    code: [`${service}/nodes/{choice,placement,room-queries}.ts`],
    tests: [`${service}/nodes/{choice,placement}.test.ts`],
  },
  counters: {
    code: [`${service}/usage/{counters,figures,record,reading-queries}.ts`],
    tests: [
      `${service}/usage/{counters,figures,months,queries,last-reading,metering.property}.test.ts`,
    ],
  },
  statements: folder('statements'),
};
