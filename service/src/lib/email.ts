/**
 * The form in which email addresses are compared: A to Z in lower case, all else as it is. The case of
 * other letters differs from one place to the next, and both it and Unicode's composition make a k of
 * the sign for kelvin: whoever has that address is not to be who has the k. The index
 * `one_user_of_an_email` says the same.
 */
export function emailKey(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
