// Generated from contract/openapi.json by `npm run openapi`.

/** The changes that take no `Idempotency-Key`. */
export const keyless: ReadonlySet<string> = new Set([
  'POST /v1/servers/dry-run',
  'POST /v1/device-authorizations',
  'POST /v1/device-authorizations/token',
  'POST /v1/setup',
  'POST /v1/session',
  'POST /v1/session/oidc',
  'POST /v1/session/passkey/options',
  'POST /v1/session/passkey',
  'POST /v1/passkeys/options',
]);
