// The library is loaded by the first passkey: with its parsers of certificates, it has hundreds of modules.

export const webAuthn = () => import('@simplewebauthn/server');
export const webAuthnHelpers = () => import('@simplewebauthn/server/helpers');
