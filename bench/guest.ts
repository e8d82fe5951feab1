/** The guests that both sides make. */
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

export interface Guest {
  /** Its name in the engine. */
  instance: string;
  remove(): Promise<void>;
}

/** One way to create guests. Only `create` is timed. */
export interface Side {
  /**
   * Ends when the guest is set up and answers by SSH. Guests with different numbers, from 0 to 9, can
   * exist at once.
   */
  create(number: number): Promise<Guest>;
}
