/** A part of the time of the charts, from one step to another, in seconds. */
export interface Zoom {
  from: number;
  to: number;
}

type Times = readonly number[];

/** The first and the last step that are shown: all without a zoom. */
export function stepsIn(times: Times, zoom: Zoom | undefined): [first: number, last: number] {
  if (!zoom) return [0, times.length - 1];
  const first = times.findIndex((time) => time >= zoom.from);
  return [first, times.findLastIndex((time) => time <= zoom.to)];
}

/** The steps that are left of a zoom; `undefined` if there are less than two, or if they are all. */
export function zoomWithin(times: Times, zoom: Zoom): Zoom | undefined {
  const [first, last] = stepsIn(times, zoom);
  const isPart = first > 0 || last < times.length - 1;
  return first >= 0 && first < last && isPart ? zoomOf(times, first, last) : undefined;
}

/** The fewest steps between the ends of a zoom: one on each side of what is looked at. */
const fewest = 2;

/**
 * Where a key leads to: half of what is shown, around a step, or twice as much. `undefined` for other keys. The end can be
 * the whole.
 */
export function zoomAfter(
  key: string,
  times: Times,
  zoom: Zoom | undefined,
  index: number,
): Zoom | undefined {
  // `=` is the same key as `+` on many keyboards.
  const factor = { '+': 0.5, '=': 0.5, '-': 2 }[key];
  if (!factor) return undefined;
  const [first, last] = stepsIn(times, zoom);
  const end = times.length - 1;
  const length = Math.min(Math.max(Math.round((last - first) * factor), fewest), end);
  const start = Math.min(Math.max(index - Math.floor(length / 2), 0), end - length);
  return zoomOf(times, start, start + length);
}

const zoomOf = (times: Times, first: number, last: number): Zoom => ({
  from: times[first] ?? 0,
  to: times[last] ?? 0,
});
