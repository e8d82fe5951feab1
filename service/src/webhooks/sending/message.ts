import { testType } from '@berth/contract/webhook-deliveries';
import { Webhook as Signer } from 'standardwebhooks';
import type { EventRow } from '../../events/queries.ts';
import { eventView } from '../../events/view.ts';
import { version } from '../../version/build.ts';
import type { WebhookSecrets } from '../secrets.ts';

/** What identifies an event for receivers, the same in each attempt. After a restore, other events get the same ids. */
export const messageIdOf = ({ id, at }: Pick<EventRow, 'id' | 'at'>) =>
  `event_${id}_${Date.parse(at)}`;

export interface Test {
  at: string;
  projectId: number;
  webhook: { id: number; name: string };
}

/** The body of an event. */
export const eventBody = (event: EventRow) => JSON.stringify(eventView(event));

/** The body of a test, in the form of an event. */
export function testBody({ at, projectId, webhook }: Test): string {
  return JSON.stringify({
    id: null,
    type: testType,
    at,
    project_id: projectId,
    server_id: null,
    data: { webhook },
  });
}

interface Signed {
  messageId: string;
  body: string;
  secrets: WebhookSecrets;
  /** Whether the former secret is still in use. */
  withFormer: boolean;
  /** The time of the attempt. */
  at?: Date;
}

/** All headers of an attempt. With two secrets there are two signatures, of which a receiver needs one (Standard Webhooks). */
export function headersOf({
  messageId,
  body,
  secrets: { current, former, headers },
  withFormer,
  at = new Date(),
}: Signed): Record<string, string> {
  const used = withFormer && former !== undefined ? [current, former] : [current];
  const signatures = used.map((secret) => new Signer(secret).sign(messageId, at, body));
  return {
    ...headers,
    'content-type': 'application/json',
    'user-agent': `Berth-Webhooks/${version}`,
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}
