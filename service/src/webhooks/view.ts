import type { Webhook } from '@berth/contract/webhooks';
import type { ShownWebhook } from './queries.ts';

/** A webhook as the API shows it. */
export function webhookView(row: ShownWebhook): Webhook {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    // The schema of the request lists the possible values.
    types: row.types as Webhook['types'],
    label_selector: row.label_selector,
    header_names: row.header_names,
    enabled: row.enabled,
    status: statusOf(row),
    paused_because: row.paused_because,
    paused_at: row.paused_at,
    failing_since: row.failing_since,
    last_success_at: row.last_success_at,
    former_secret_valid_until: row.former_secret_until,
    project_id: row.project_id,
    created_at: row.created_at,
  };
}

function statusOf({ enabled, paused_at }: ShownWebhook): Webhook['status'] {
  if (!enabled) return 'disabled';
  return paused_at === null ? 'active' : 'paused';
}
