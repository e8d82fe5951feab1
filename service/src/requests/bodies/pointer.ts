import { shownText } from '../../problems/shown-text.ts';

/** The part of a JSON pointer for a field (RFC 6901, section 3). */
export function pointerPart(name: string): string {
  return shownText(name).replaceAll('~', '~0').replaceAll('/', '~1');
}
