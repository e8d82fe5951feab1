/** How far back the charts go, as the URL has it. */
export const spans = ['1h', '24h', '7d', '30d'] as const;
export type Span = (typeof spans)[number];

export interface UsageSearch {
  /** The default is `24h`. */
  last?: Span;
}

export const usualSpan: Span = '24h';

const hours: Record<Span, number> = { '1h': 1, '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };

export const spanNames: Record<Span, string> = {
  '1h': '1 hour',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
};

/** What the URL says, without what is not understood. */
export function readUsageSearch(found: Record<string, unknown>): UsageSearch {
  const last = spans.find((span) => span === found.last);
  return last ? { last } : {};
}

/** The parameters of the request. The service chooses the length of a step. */
export const periodOf = (span: Span, now: number) => ({
  from: new Date(now - hours[span] * 3_600_000).toISOString(),
  to: new Date(now).toISOString(),
});

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const exact = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/**
 * A time below a chart, in the zone of the viewer: `05:30`, `21 Nov` in a chart of more than two days, and `05:30:15` in one
 * of a few minutes.
 */
export const axisTime = (seconds: number, shown: number): string =>
  (shown > 2 * 86_400 ? day : shown < 20 * 60 ? exact : clock).format(seconds * 1000);
