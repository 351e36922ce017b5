/**
 * A URL, or undefined for an invalid one. Replaces `URL.canParse`, which Node 20 and 22 get wrong once V8 has
 * optimised its caller, after some 10,000 calls: from then on every host or path with a letter such as `ü` is refused.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
