import type { ColumnType } from 'kysely';

/** A time of ISO 8601 in UTC, with six fractional digits and `Z`. It is parsed in connection.ts. */
export type Timestamp = ColumnType<string, string | Date | undefined, string | Date>;
