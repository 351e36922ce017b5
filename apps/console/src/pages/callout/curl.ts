import type { CalloutDetails } from './callout-query.ts';

/** A command for sending the callout once more, as in the last attempt; signatures are redacted in the log. */
export function curlOf({ attempts, body }: CalloutDetails): string {
  const last = attempts.at(-1);
  const headers = Object.entries(last?.requestHeaders ?? { 'content-type': 'application/json' });
  const options = headers
    .filter(([name]) => !['host', 'content-length', 'connection'].includes(name.toLowerCase()))
    .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [
    'curl -X POST',
    ...options,
    `--data-raw ${quoted(body)}`,
    quoted(last?.url ?? 'http://127.0.0.1:8090/callouts'),
  ].join(' \\\n  ');
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
