import { deliveryErrors } from '@berth/contract/webhook-deliveries';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { AttemptObserver } from '../webhooks/sending/attempt.ts';

/** Seconds. */
const durations = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** The attempts of this process to deliver events to webhooks. */
export function webhookObserver(registry: Registry): AttemptObserver {
  const registers = [registry];
  const attempts = new Counter({
    name: 'berth_webhook_attempts_total',
    help: 'Attempts of this service to deliver an event to a webhook, by their outcome: delivered, or the reason of the failure, as error.reason of the delivery.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['delivered', ...deliveryErrors]) attempts.inc({ outcome }, 0);
  const seconds = new Histogram({
    name: 'berth_webhook_attempt_seconds',
    help: 'Duration of these attempts, from the connection to the end of the response.',
    buckets: durations,
    registers,
  });
  return {
    attempted(outcome, duration) {
      attempts.inc({ outcome });
      seconds.observe(duration);
    },
  };
}
