import type { ColumnType } from 'kysely';

/** ISO 8601 in UTC with six fractional digits and `Z`; see the parsers in connection.ts. */
export type Timestamp = ColumnType<string, string | Date | undefined, string | Date>;
