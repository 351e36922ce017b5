/** What one webhook uses in TLS in place of the usual. */
export interface TlsMaterial {
  /** Equal for equal material: connections and TLS sessions are shared only among calls with the same id. */
  readonly id: string;
  /** Certificate authorities to trust in place of the public ones, in PEM. */
  readonly authorities?: string | undefined;
  /** A client certificate with its chain, and its private key, in PEM. */
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}
