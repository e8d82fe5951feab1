/**
 * The form in which email addresses are compared: A to Z in lower case, the rest unchanged. The
 * case of other letters depends on the locale, and both case folding and Unicode's composition turn
 * the kelvin sign into a k: these must stay different addresses. The index `one_user_of_an_email`
 * uses the same form.
 */
export function emailKey(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
