import { randomBytes } from 'node:crypto';
import type { Keyring } from '../keys/keyring.ts';
import { webhookSecrets } from '../keys/places.ts';

/** What must not be read from the database alone. */
export interface WebhookSecrets {
  current: string;
  /** Signs as well until `former_secret_until` of the webhook. */
  former?: string;
  /** The values of the further headers, by their names. */
  headers: Record<string, string>;
}

/** Standard Webhooks requires 24 to 64 bytes, and the prefix. */
const secretBytes = 32;

export const generateSecret = () => `whsec_${randomBytes(secretBytes).toString('base64')}`;

export const sealSecrets = (keyring: Keyring, id: number, secrets: WebhookSecrets) =>
  keyring.seal(webhookSecrets(id), secrets);

/** Undefined if no key can read them. */
export function openSecrets(
  keyring: Keyring,
  id: number,
  sealed: Buffer | null,
): WebhookSecrets | undefined {
  return sealed === null ? undefined : keyring.open<WebhookSecrets>(webhookSecrets(id), sealed);
}
