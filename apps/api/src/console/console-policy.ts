/**
 * What the console's page may do: run the scripts of this server, and call this server. It asks no other host for anything.
 * Styles may be written by scripts, as the components of the page do.
 * @param frameAncestors origins of pages that may show it in a frame; empty: no page may.
 */
export function consolePolicy(frameAncestors: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ');
}
