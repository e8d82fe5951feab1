// The library is loaded for the first passkey, because it has hundreds of modules, such as parsers of certificates.

export const webAuthn = () => import('@simplewebauthn/server');
export const webAuthnHelpers = () => import('@simplewebauthn/server/helpers');
