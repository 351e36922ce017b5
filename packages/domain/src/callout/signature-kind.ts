/**
 * How callouts are signed: `hmac` with the secret of the webhook, `ed25519` with the private key of its tenant, `both`
 * with the two of them.
 */
export const signatureKinds = ['hmac', 'ed25519', 'both'] as const;
export type SignatureKind = (typeof signatureKinds)[number];

/** Whether the secret of the webhook signs. */
export function usesSecret(kind: string): boolean {
  return kind !== 'ed25519';
}

/** Whether the private key of the tenant signs. */
export function usesSigningKey(kind: string): boolean {
  return kind !== 'hmac';
}
