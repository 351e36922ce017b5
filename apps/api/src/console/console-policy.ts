/**
 * The content security policy of the console: it may run the scripts of this server and call this server, and no other
 * host. Scripts may write styles, as the components of the page do.
 * @param frameAncestors origins of pages that may show the page in a frame; none if empty.
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
