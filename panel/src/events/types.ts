import type { components } from '@berth/client';

export type WebhookType = components['schemas']['Webhook']['types'][number];

/** The types of events that a project has. What they mean is in another file, which fewer pages load. */
export const projectTypes = [
  'server.created',
  'server.creating',
  'server.started',
  'server.stopped',
  'server.paused',
  'server.failed',
  'server.deleting',
  'server.deleted',
  'server.updated',
  'operation.created',
  'operation.progress',
  'operation.ended',
  'usage.allowance_reached',
  'webhook.paused',
] as const satisfies readonly WebhookType[];

export const isProjectType = (type: unknown): type is WebhookType =>
  projectTypes.some((one) => one === type);
