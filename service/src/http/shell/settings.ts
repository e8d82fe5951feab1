/** What of the outer side of the HTTP server can be set. */
export interface ShellSettings {
  /** Names that the service is called by, in lower case; none: any. */
  allowedHosts: readonly string[];
  /** Networks of reverse proxies whose `X-Forwarded-*` count, as CIDR. */
  trustedProxies: readonly string[];
  /** Files in PEM; without them there is no TLS. */
  tls: TlsFiles | undefined;
  /** Open at once; one address may have a tenth of them. */
  maxConnections: number;
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
};
