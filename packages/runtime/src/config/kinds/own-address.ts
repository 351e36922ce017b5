import { key, UnreadableValue } from './key.ts';
import { commaSeparated } from './kinds.ts';

/** A host name or an address, an IPv6 address in brackets, with or without a port. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** Where clients reach the API, for the addresses in its responses. */
export function publicUrl() {
  return key<string | undefined>({
    description:
      'URL under which clients reach the API, without `API_ROOT`; used for URLs of next pages and in mail. Without it, the URL of the zone of the tenant is used.',
    accepts: 'an http: or https: URL without user, query or fragment, such as https://callout.example.com',
    whenAbsent: undefined,
    read: readPageUrl,
  });
}

/** An http: or https: URL that paths can be added to: no user, query or fragment, and no slash at the end. */
export function readPageUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UnreadableValue();
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) throw new UnreadableValue();
  return url.href.replace(/\/+$/, '');
}

/** Hosts of requests that are repeated in responses. */
export function allowedHosts() {
  return key<readonly string[]>({
    description:
      'Hosts of requests that may be used in URLs of answers, if neither PUBLIC_URL nor the zone has a URL. Without a port: any port. Loopback hosts are always allowed.',
    accepts: 'a comma-separated list of hosts such as callout.example.com or 10.0.0.7:8080',
    whenAbsent: [],
    read: (text) =>
      commaSeparated(text.toLowerCase()).map((host) => {
        if (!HOST.test(host)) throw new UnreadableValue(`${JSON.stringify(host)} is no host`);
        return host;
      }),
  });
}
