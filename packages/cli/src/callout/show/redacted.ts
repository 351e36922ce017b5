const redacted = '<redacted>';

/** Headers of responses and requests that let others in. */
const secretHeaders = /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|.*-signature)$/i;

/** An address without its possible secrets: password and values of the query. */
export function redactedUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.password !== '') url.password = redacted;
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, redacted);
  return url.href.replaceAll(encodeURIComponent(redacted), redacted);
}

/** Headers without the values of credentials; null stays null. */
export function redactedHeaders<Headers extends Readonly<Record<string, string>> | null>(
  headers: Headers,
): Headers extends null ? null : Record<string, string> {
  const entries = Object.entries(headers ?? {}).map(([name, value]) => [
    name,
    secretHeaders.test(name) ? redacted : value,
  ]);
  return (headers === null ? null : Object.fromEntries(entries)) as Headers extends null
    ? null
    : Record<string, string>;
}
