import type { components } from '@berth/client';

export type Delivery = components['schemas']['WebhookDelivery'];

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
type DeliveryStatus = (typeof deliveryStatuses)[number];

/** The filter of the deliveries, as it is in the URL. */
export interface DeliverySearch {
  status?: DeliveryStatus;
}

/** What the URL says, without what is not understood. */
export function readDeliverySearch({ status }: Record<string, unknown>): DeliverySearch {
  const known = deliveryStatuses.find((one) => one === status);
  return known ? { status: known } : {};
}

type Attempt = Pick<Delivery, 'attempts' | 'response_status' | 'duration_ms' | 'error'>;

/** What has become of the last attempt: `Attempt 2: response 500 after 120 ms. The receiver …` */
export function attemptInWords({ attempts, response_status, duration_ms, error }: Attempt): string {
  if (attempts === 0) return 'Not attempted yet.';
  if (duration_ms === null) return `Attempt ${attempts} is under way.`;
  const status = response_status === null ? 'no response' : `response ${response_status}`;
  const end = error ? ` ${error.detail}` : '';
  return `Attempt ${attempts}: ${status} after ${duration_ms} ms.${end}`;
}

type Pending = Pick<Delivery, 'status' | 'attempts' | 'duration_ms' | 'next_attempt_at'>;

const soonMs = 2000;
const latestMs = 60_000;

/** After how long to read deliveries again, because attempts end without an event. `false` if none is pending. */
export function readAgainMs(deliveries: readonly Pending[], now: number): number | false {
  const waits = deliveries
    .filter(({ status }) => status === 'pending')
    .map(({ attempts, duration_ms, next_attempt_at: at }) => {
      const isUnderWay = attempts === 0 || duration_ms === null || at === null;
      return isUnderWay ? 0 : Date.parse(at) - now;
    });
  if (waits.length === 0) return false;
  return Math.min(latestMs, Math.max(soonMs, Math.min(...waits)));
}
