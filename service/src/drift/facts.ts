/** What a server would have if it were made of an instance that is there already. */
export interface InstanceFacts {
  /** The MAC address of its network interface; null if it has none. */
  mac: string | null;
  cpu: number | null;
  /** MiB. */
  ramMb: number | null;
  /** GiB, rounded up. */
  diskGb: number | null;
  /** Without link-local ones. */
  addresses: string[];
  /** Why it can't be adopted as it is, in sentences. */
  obstacles: string[];
}
