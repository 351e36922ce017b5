const longestQuote = 80;

/** A value of a body for a message: shortened, for a short response. */
export function quote(input: unknown): string {
  const text = typeof input === 'string' ? JSON.stringify(input.slice(0, longestQuote + 1)) : describe(input);
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
}

function describe(input: unknown): string {
  if (Array.isArray(input)) return 'an array';
  return typeof input === 'object' && input !== null ? 'an object' : String(input);
}
