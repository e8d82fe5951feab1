import { setTimeout as sleep } from 'node:timers/promises';
import { items } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { Failure } from '../errors/failure.ts';
import { printDone, printList, printOne } from '../output/print.ts';
import type { Schemas } from '../schemas.ts';
import { choice, collected, defined, whole } from '../verbs/options.ts';
import { deliveryColumns } from './columns.ts';

type Delivery = Schemas['WebhookDelivery'];

const statuses = ['pending', 'delivered', 'failed'] as const;
const pollMs = 500;
/** An attempt ends within this time, and begins at once, unless very many are waiting. */
const longestSeconds = 60;

/** The newest first, unlike other lists: nobody looks for the oldest one. */
export const deliveries = (cli: Cli) =>
  new Command('deliveries')
    .summary('List what was sent to a webhook, the newest first')
    .description('List what was sent to a webhook, the newest first.')
    .argument('<webhook>', 'its name or ID')
    .addOption(choice('--status <status...>', 'only deliveries in these states', statuses))
    .option('--event <id>', 'only deliveries of this event; may be given several times', collected)
    .option('--limit <number>', 'print at most this many', whole, 20)
    .option(
      '--columns <names>',
      `the columns, separated by commas: ${Object.keys(deliveryColumns.all).join(', ')}`,
    )
    .option('--no-header', 'print no names of columns')
    .action(async (id, { status, event, limit, ...printing }) => {
      const filters = defined({ status, event_id: event?.map(Number) });
      const query = { sort: '-id', limit: Math.max(1, Math.min(limit, 1000)), ...filters } as const;
      const found: Delivery[] = [];
      const all = items(cli.berth(), '/v1/webhooks/{id}/deliveries', {
        params: { path: { id }, query },
      });
      for await (const delivery of all) if (found.push(delivery) >= limit) break;
      await printList(cli, deliveryColumns, found, defined(printing));
    });

export const delivery = (cli: Cli) =>
  new Command('delivery')
    .summary('Show what was sent to a webhook, and what it responded')
    .description('Show what was sent to a webhook, and what it responded.')
    .argument('<webhook>', 'its name or ID')
    .argument('<delivery>', 'the ID of the delivery')
    .action(async (id, delivery_id) => {
      const path = { id, delivery_id };
      const { data } = await cli
        .berth()
        .GET('/v1/webhooks/{id}/deliveries/{delivery_id}', { params: { path } });
      await printOne(cli, deliveryColumns, data);
    });

export const test = (cli: Cli) =>
  new Command('test')
    .summary('Send a test event to a webhook, and wait for the result')
    .description(
      'Send a test event to a webhook, also to one that is disabled or paused, and wait for the result.',
    )
    .argument('<webhook>', 'its name or ID')
    .option('--no-wait', 'return as soon as the request was accepted')
    .action(async (id, { wait }) => {
      const { data } = await cli
        .berth()
        .POST('/v1/webhooks/{id}/test', { params: { path: { id } } });
      await settle(cli, data, wait);
    });

export const redeliver = (cli: Cli) =>
  new Command('redeliver')
    .summary('Send an event to a webhook again, and wait for the first attempt')
    .description('Send an event to a webhook again, and wait for the first attempt.')
    .argument('<webhook>', 'its name or ID')
    .argument('<delivery>', 'the ID of the delivery')
    .option('--no-wait', 'return as soon as the request was accepted')
    .action(async (id, delivery_id, { wait }) => {
      const path = { id, delivery_id };
      const { data } = await cli
        .berth()
        .POST('/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver', { params: { path } });
      await settle(cli, data, wait);
    });

/** Prints a delivery once another attempt has ended. Throws if that has failed. */
async function settle(cli: Cli, first: Delivery, isAwaited: boolean): Promise<void> {
  let last = first;
  const path = { id: String(first.webhook_id), delivery_id: String(first.id) };
  const end = performance.now() + longestSeconds * 1000;
  const isOpen = () =>
    last.status === 'pending' && (last.error === null || last.attempts === first.attempts);
  while (isAwaited && isOpen() && performance.now() < end) {
    await sleep(pollMs);
    const request = { params: { path } };
    ({ data: last } = await cli.berth().GET('/v1/webhooks/{id}/deliveries/{delivery_id}', request));
  }
  await printDone(cli, deliveryColumns, last, inWords(last));
  if (last.error !== null) throw new Failure('The event was not delivered.');
}

const words: Record<Delivery['status'], string> = {
  pending: 'is pending',
  delivered: 'was delivered',
  failed: 'failed',
};

function inWords({ id, status, error, response_status: response }: Delivery): string {
  const what = `Delivery ${id} ${words[status]}`;
  if (error) return `${what}: ${error.detail}`;
  return response === null ? `${what}.` : `${what}: ${response}.`;
}
