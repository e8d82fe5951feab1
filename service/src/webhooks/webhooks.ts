import {
  type SecretRotation,
  usualFormerHours,
  type WebhookCreate,
  type WebhookUpdate,
} from '@berth/contract/webhooks';
import type { Trx } from '../db/connection.ts';
import type { Project } from '../db/project.ts';
import type { Keyring } from '../keys/keyring.ts';
import { readSelector } from '../labels/labels.ts';
import { type FieldError, invalidFields, Problem } from '../problems/problem.ts';
import { projectNotFound } from '../projects/projects.ts';
import { lockProject } from '../projects/queries.ts';
import { readHeaders } from './headers.ts';
import {
  countWebhooks,
  findSecrets,
  findWebhook,
  findWebhooksNamed,
  insertWebhook,
  markWebhookDeleted,
  resumeWebhook,
  type ShownWebhook,
  setSecrets,
  updateWebhook,
} from './queries.ts';
import { generateSecret, openSecrets, sealSecrets, type WebhookSecrets } from './secrets.ts';
import { readTarget, type TargetRules, UnusableUrl } from './url.ts';

/** Of a project. Each event is stored and sent once for each of them. */
const maxWebhooks = 20;

/** What the rules need besides the project. */
export interface WebhookContext {
  trx: Trx;
  secretKey: Keyring;
  targets: TargetRules;
}

export function webhookNotFound(id: number | string): Problem {
  return new Problem('webhook_not_found', `No webhook has the id ${id}.`);
}

/**
 * Creates a webhook, and returns its secret, which is not readable later. Throws 422 for a URL to which nothing is sent,
 * for headers that cannot be set and for an invalid selector, `name_taken` (409), and `quota_exceeded` (403).
 */
export async function createWebhook(
  context: WebhookContext,
  project: Project,
  body: WebhookCreate,
): Promise<{ row: ShownWebhook; secret: string }> {
  const { headers = {}, values } = readBody(body, context.targets);
  const {
    name,
    url = '',
    types = [],
    label_selector = '',
    enabled = true,
  } = { ...body, ...values };
  await lock(context.trx, project);
  await requireFreeName(project, name);
  if ((await countWebhooks(project)) >= maxWebhooks) {
    const detail = `The project has the maximum of ${maxWebhooks} webhooks. Delete some that are not needed.`;
    throw new Problem('quota_exceeded', detail);
  }
  const secret = generateSecret();
  const header_names = Object.keys(headers);
  const row = { name, url, types, label_selector, header_names, enabled };
  const id = await insertWebhook(project, row, (ofId) =>
    sealSecrets(context.secretKey, ofId, { current: secret, headers }),
  );
  return { row: await requireWebhook(project, id), secret };
}

/** Changes a webhook. `enabled` as true also ends a pause. Throws the same as a create. */
export async function changeWebhook(
  context: WebhookContext,
  project: Project,
  id: number,
  body: WebhookUpdate,
): Promise<{ before: ShownWebhook; row: ShownWebhook }> {
  const { headers, values } = readBody(body, context.targets);
  await lock(context.trx, project);
  const before = await requireWebhook(project, id);
  if (values.url !== undefined && !headers) requireSameOrigin(before, values.url);
  if (body.name !== undefined) await requireFreeName(project, body.name, id);
  await updateWebhook(project, id, {
    ...values,
    // What failed at another URL says nothing of this one.
    ...(values.url !== undefined && values.url !== before.url && { failing_since: null }),
    ...(headers && { header_names: Object.keys(headers) }),
  });
  if (headers) {
    const secrets = await requireSecrets(context, project, id);
    const sealed = sealSecrets(context.secretKey, id, { ...secrets, headers });
    await setSecrets(project, id, { secrets: sealed });
  }
  if (body.enabled) await resumeWebhook(project, id);
  return { before, row: await requireWebhook(project, id) };
}

/** What was not delivered yet is not delivered any more. */
export async function deleteWebhook(trx: Trx, project: Project, id: number): Promise<ShownWebhook> {
  await lock(trx, project);
  const row = await requireWebhook(project, id);
  await markWebhookDeleted(project, id);
  return row;
}

/**
 * Gives a webhook a new secret, and returns it. The one before signs as well for a while, so that receivers can take over
 * the new one at any time within it. Secrets that no key can read are replaced, without their headers.
 */
export async function rotateSecret(
  { trx, secretKey }: WebhookContext,
  project: Project,
  id: number,
  { keep_former_hours: hours = usualFormerHours }: SecretRotation,
): Promise<{ row: ShownWebhook; secret: string }> {
  await lock(trx, project);
  await requireWebhook(project, id);
  const before = openSecrets(secretKey, id, await findSecrets(project, id));
  const secret = generateSecret();
  const secrets: WebhookSecrets = {
    current: secret,
    headers: before?.headers ?? {},
    ...(before && hours > 0 && { former: before.current }),
  };
  const sealed = sealSecrets(secretKey, id, secrets);
  await setSecrets(project, id, { secrets: sealed, formerHours: before ? hours : 0 });
  if (!before) await updateWebhook(project, id, { header_names: [] });
  return { row: await requireWebhook(project, id), secret };
}

export async function requireWebhook(project: Project, id: number): Promise<ShownWebhook> {
  const row = await findWebhook(project, id);
  if (!row) throw webhookNotFound(id);
  return row;
}

/** Checks the fields that their schemas cannot check, and returns them as they are stored. */
function readBody({ headers: given, ...body }: WebhookUpdate, targets: TargetRules) {
  const errors: FieldError[] = [];
  let { url } = body;
  if (url !== undefined) {
    try {
      url = readTarget(url, targets);
    } catch (error) {
      if (!(error instanceof UnusableUrl)) throw error;
      errors.push({ pointer: '/url', detail: error.message });
    }
  }
  const read = given && readHeaders(given);
  if (read) errors.push(...read.errors);
  if (errors.length > 0) throw invalidFields(errors);
  if (body.label_selector?.trim()) readSelector(body.label_selector, 'body');
  return { headers: read?.headers, values: { ...body, ...(url !== undefined && { url }) } };
}

/** Whoever cannot read the values of the headers must not have them sent to somebody else. */
function requireSameOrigin({ url, header_names: names }: ShownWebhook, wanted: string): void {
  if (names.length === 0 || new URL(url).origin === new URL(wanted).origin) return;
  const detail =
    'Give the headers again, or an empty object: they are secret, and the URL is of another origin.';
  throw invalidFields([{ pointer: '/headers', detail }]);
}

async function requireSecrets(
  { secretKey }: WebhookContext,
  project: Project,
  id: number,
): Promise<WebhookSecrets> {
  const secrets = openSecrets(secretKey, id, await findSecrets(project, id));
  if (secrets) return secrets;
  const detail =
    'The secrets of the webhook cannot be decrypted, because the secret key was replaced. Rotate its secret first.';
  throw new Problem('secrets_unreadable', detail);
}

/** Held until the transaction ends, so that of two concurrent requests the second one finds what the first did. */
async function lock(trx: Trx, project: Project): Promise<void> {
  if (!(await lockProject(trx, project.id))) throw projectNotFound(project.id);
}

async function requireFreeName(project: Project, name: string, besidesId?: number): Promise<void> {
  const [other] = await findWebhooksNamed(project, name);
  if (!other || other.id === besidesId) return;
  const detail = `The webhook ${other.id} of this project already has the name ${other.name}. Choose another name.`;
  throw new Problem('name_taken', detail);
}
