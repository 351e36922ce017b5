/** Headers that would let a reader of the delivery log forge a callout. */
const signatures: ReadonlySet<string> = new Set(['x-hook-signature', 'webhook-signature']);

/** The headers of a callout as the delivery log stores and shows them: signatures are `<redacted>`. */
export function redactSignatures(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, signatures.has(name.toLowerCase()) ? '<redacted>' : value]),
  );
}
