/** The settings of the listening side of the HTTP server. */
export interface ShellSettings {
  /** The host names of the service in lower case; empty means any. */
  allowedHosts: readonly string[];
  /** Networks of reverse proxies whose `X-Forwarded-*` are trusted, as CIDR. */
  trustedProxies: readonly string[];
  /** Files in PEM; without them there is no TLS. */
  tls: TlsFiles | undefined;
  /** The maximum of open connections, see `connections.ts`. */
  maxConnections: number;
  /**
   * The maximum of concurrent large answers; a token may have a tenth of them, a project a third.
   */
  maxStreams: number;
  /** The same of streams of events, whose answers have no end. */
  maxEventStreams: number;
  /** The minimum speed at which a client must read a large answer, in bytes a second. */
  leastSpeed: number;
}

export interface TlsFiles {
  cert: string;
  key: string;
}

export const plainShell: ShellSettings = {
  allowedHosts: [],
  trustedProxies: [],
  tls: undefined,
  maxConnections: 4000,
  maxStreams: 100,
  maxEventStreams: 2000,
  leastSpeed: 4096,
};
