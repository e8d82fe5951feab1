import { Failure } from '../errors/failure.ts';
import { exitStatuses } from '../exit-statuses.ts';

/**
 * A token that can be sent in a header. The error does not repeat it, because a damaged secret is a secret as well.
 *
 * @param what what the user calls the token
 */
export function checkedToken(token: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Failure(`${what} is not a token: it has spaces, line breaks or other characters.`, {
    hint: 'Copy the token once more, as one line.',
    status: exitStatuses.not_signed_in,
  });
}
