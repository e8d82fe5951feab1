import { type Kysely, sql } from 'kysely';

/** Servers that administrators have suspended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table servers
      add suspended_at timestamptz,
      add suspension_reason text,
      -- Whether it ran, so that the end of its suspension starts it again.
      add ran_before_suspension boolean not null default false,
      add constraint suspension_has_a_reason
        check ((suspended_at is null) = (suspension_reason is null));
    create index servers_suspended on servers (location_id)
      where suspended_at is not null and deleted_at is null;
  `.execute(db);
}
