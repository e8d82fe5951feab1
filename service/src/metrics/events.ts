import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { FeedObserver } from '../events/feed.ts';
import { streamEnds } from '../events/stream.ts';

/** Seconds. */
const delays = [0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 10, 60];

/** The streams of events of this process. */
export function eventObserver(registry: Registry): FeedObserver {
  const registers = [registry];
  const streams = new Gauge({
    name: 'berth_event_streams',
    help: 'Streams of events that are open at this service.',
    registers,
  });
  const ended = new Counter({
    name: 'berth_event_streams_ended_total',
    help: 'Streams of events that this service ended: because their client did not read them (slow), their caller may no longer read these events (access), events that they had missed were removed (gone), the service stops (stopping), or of an error (error).',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of streamEnds) ended.inc({ reason }, 0);
  const delay = new Histogram({
    name: 'berth_event_delay_seconds',
    help: 'Time from when an event was written until this service sent it to its streams. It includes the difference of the clocks.',
    buckets: delays,
    registers,
  });
  return {
    streams: (count) => streams.set(count),
    ended: (reason) => ended.inc({ reason }),
    sent: (seconds) => delay.observe(seconds),
  };
}
