// The policy of the service requires trusted types. Libraries set text as HTML only for the styles that they write.

/** Throws for text that could create an element. */
export function withoutMarkup(text: string): string {
  if (!text.includes('<')) return text;
  throw new TypeError('The panel creates no elements from text.');
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string }): unknown;
}

/** Does nothing in browsers without trusted types. */
export function allowStylesOnly(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', { createHTML: withoutMarkup });
}
