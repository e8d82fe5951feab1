/** The guest that both sides create. */
export const guest = {
  hostname: 'bench',
  os: 'debian-12',
  password: 'Correct-Horse-9',
  command: 'echo done > /root/done',
  cpu: 1,
  ramMb: 512,
  diskGb: 4,
};

/** The file that the command creates in the guest. */
export const proof = '/root/done';

/** One way to create the guest. Only `create` is timed. */
export interface Side {
  /** Resolves when the guest has booted and is set up. */
  create(): Promise<void>;
  /** The engine's name of the guest that was created. */
  instance(): string;
  remove(): Promise<void>;
}
