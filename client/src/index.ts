// biome-ignore-all lint/performance/noBarrelFile: programs import everything from the entry of the package.
export { type Answer, type Berth, type BerthOptions, createBerth } from './berth.ts';
export {
  type ConsoleEnd,
  type ConsoleOptions,
  type ConsoleSize,
  type ConsoleState,
  type OpenConsole,
  openConsole,
} from './console.ts';
export {
  BerthError,
  ConnectionFailedError,
  type FieldError,
  type Problem,
  UnexpectedResponseError,
  WaitTimeoutError,
} from './errors.ts';
export { type Event, type EventOptions, events } from './events.ts';
export * from './generated/errors.ts';
export type { components, paths } from './generated/schema.ts';
export { type Operation, type WaitOptions, waitForOperation } from './operations.ts';
export { type ItemOf, items, type ListPath } from './pages.ts';
