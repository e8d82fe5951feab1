import type { components } from '@berth/client';
import { oneAttempt } from '../api/berth.ts';
import { ExplainedError } from '../api/words.ts';

type Schemas = components['schemas'];

/** Whether the browser has passkeys, and reads and writes them as JSON. It has none on pages that are not secure. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in window.PublicKeyCredential;

/** Signs in the person to whom the chosen passkey belongs. */
export async function signInByPasskey(): Promise<void> {
  await oneAttempt.POST('/v1/session/passkey', { body: await askForPasskey() });
}

/** Proves that it is still the same person. */
export async function confirmByPasskey(): Promise<void> {
  await oneAttempt.POST('/v1/session/confirm', { body: { passkey: await askForPasskey() } });
}

/** Makes a passkey on a device of the person, with which they can then sign in. */
export async function addPasskey(name: string): Promise<void> {
  const { data } = await oneAttempt.POST('/v1/passkeys/options');
  const options = data as PublicKeyCredentialCreationOptionsJSON;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const made = await explained(() => navigator.credentials.create({ publicKey }));
  const credential = made.toJSON() as Schemas['PasskeyCreate']['credential'];
  await oneAttempt.POST('/v1/passkeys', { body: { name, credential } });
}

async function askForPasskey(): Promise<Schemas['PasskeySignIn']> {
  const { data } = await oneAttempt.POST('/v1/session/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data);
  const chosen = await explained(() => navigator.credentials.get({ publicKey }));
  return chosen.toJSON() as Schemas['PasskeySignIn'];
}

/** The errors of WebAuthn. For the privacy of people, browsers do not say why there is no passkey. */
const words: Record<string, string> = {
  NotAllowedError:
    'The browser gave no passkey: you cancelled, it took too long, or there is none for this address on your device.',
  InvalidStateError: 'This device already has a passkey of yours.',
  NotSupportedError: 'This device cannot make passkeys that Berth accepts.',
  ConstraintError: 'This device cannot verify you, such as by a PIN or a fingerprint.',
  SecurityError: 'Passkeys of this installation cannot be used at this address.',
};

async function explained(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    return (await ask()) as PublicKeyCredential;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    const said = words[error.name] ?? `The browser cannot use a passkey: ${error.message}`;
    throw new ExplainedError(said, { cause: error });
  }
}
