const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How far apart the labels of an axis can be. Each begins at a round time of UTC. */
const distances = [
  ...[15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 56, 112].map((count) => count * day),
];
const widest = 224 * day;

/** Columns between two labels, so that they can be told apart. */
const gap = 3;

/**
 * Where an axis of time has labels, and what they are. They are at round times, and as long as is needed for all of them
 * to differ.
 *
 * @param width the columns of the axis
 */
export function timeAxis(from: number, to: number, width: number) {
  const span = to - from;
  const labelAt = (distance: number) => (ms: number) => {
    const time = new Date(ms).toISOString();
    const date = time.slice(5, 10);
    if (distance >= day) return date;
    const clock = time.slice(11, distance < minute ? 19 : 16);
    return span < day ? clock : `${date} ${clock}`;
  };
  const distance =
    distances.find((one) => (span / one) * (labelAt(one)(from).length + gap) <= width) ?? widest;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / distance) * distance; at <= to; at += distance) ticks.push(at);
  return { ticks, label: labelAt(distance) };
}
