/** Without those that look alike. */
const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
const passwordLength = 24;

/** A password with 120 bits of randomness. */
export function generatePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(passwordLength));
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
}
