import { type Kysely, sql } from 'kysely';

/**
 * Webhooks, to which the events of a project are delivered, and their deliveries. Each event becomes a delivery for each
 * webhook that wants it, in the order of the ids of events: `webhook_progress` has the last event for which that was done.
 * See docs/decisions/0026-webhooks.md.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhooks (
      id bigint generated always as identity primary key,
      project_id bigint not null references projects,
      name text not null,
      url text not null,
      -- Empty for all types of events of a project.
      types text[] not null default '{}',
      label_selector text not null default '',
      header_names text[] not null default '{}',
      -- The signing secrets and the values of the headers, encrypted for this id. Null once the webhook was deleted.
      secrets bytea,
      -- Until when deliveries are also signed with the former secret.
      former_secret_until timestamptz,
      enabled boolean not null default true,
      -- Since when all attempts have failed. Null after a success.
      failing_since timestamptz,
      paused_at timestamptz,
      paused_because text,
      last_success_at timestamptz,
      created_at timestamptz not null default now(),
      deleted_at timestamptz,
      constraint webhook_paused check ((paused_at is null) = (paused_because is null))
    );
    create unique index webhooks_by_name on webhooks (project_id, lower(name collate "C")) where deleted_at is null;
    create index webhooks_of_project on webhooks (project_id, id) where deleted_at is null;

    create table webhook_deliveries (
      id bigint generated always as identity primary key,
      project_id bigint not null,
      webhook_id bigint not null references webhooks on delete cascade,
      -- Null for a test. Without a foreign key, since events are removed first.
      event_id bigint,
      type text not null,
      -- The header by which a receiver recognises what it already has.
      message_id text not null,
      status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
      -- Whether somebody asked for it, so that it is attempted even if the webhook is disabled or paused.
      requested boolean not null default false,
      redelivery_of bigint,
      attempts integer not null default 0,
      created_at timestamptz not null default now(),
      -- The end of the retries.
      expires_at timestamptz not null,
      -- Null once it has ended. While it is attempted, the time at which another service may take over.
      next_attempt_at timestamptz default now(),
      leased_until timestamptz,
      attempted_at timestamptz,
      duration_ms integer,
      response_status integer,
      response_excerpt text,
      error_reason text,
      error text,
      constraint webhook_delivery_ends check ((status = 'pending') = (next_attempt_at is not null))
    );
    create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, id);
    create index webhook_deliveries_by_status on webhook_deliveries (webhook_id, status, id);
    create index webhook_deliveries_of_event on webhook_deliveries (webhook_id, event_id);
    create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at)
      where status = 'pending' and not requested;
    create index webhook_deliveries_pending on webhook_deliveries (webhook_id) where status = 'pending';
    create index webhook_deliveries_requested on webhook_deliveries (webhook_id, next_attempt_at)
      where status = 'pending' and requested;
    create index webhook_deliveries_leased on webhook_deliveries (leased_until) where leased_until is not null;

    create table webhook_progress (
      only_row boolean primary key default true check (only_row),
      event_id bigint not null
    );
    -- What happened before there were webhooks is delivered to none.
    insert into webhook_progress (event_id) select coalesce(max(id), 0) from events;

    create function tell_of_paused_webhook() returns trigger language plpgsql as $$
    begin
      insert into event_outbox (type, project_id, data)
      values ('webhook.paused', new.project_id, jsonb_build_object('webhook', jsonb_build_object(
        'id', new.id, 'name', new.name, 'paused_because', new.paused_because)));
      return null;
    end $$;
    create trigger tell_of_paused_webhook after update of paused_at on webhooks for each row
      when (old.paused_at is null and new.paused_at is not null) execute function tell_of_paused_webhook();
  `.execute(db);
}
