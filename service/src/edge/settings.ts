/** What of the outer side of the HTTP server can be set. */
export interface ShellSettings {
  /** Names that the service is called by, in lower case; none: any. */
  allowedHosts: readonly string[];
  /** Networks of reverse proxies whose `X-Forwarded-*` count, as CIDR. */
  trustedProxies: readonly string[];
  /** Files in PEM; without them there is no TLS. */
  tls: TlsFiles | undefined;
  /** Open at once, see `connections.ts`. */
  maxConnections: number;
  /** Large answers that are sent at once; a token may have a tenth of them, a project a third. */
  maxStreams: number;
  /** Bytes a second that a client takes a large answer with, or is cut off. */
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
  leastSpeed: 4096,
};
