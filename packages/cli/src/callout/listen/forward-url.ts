import { Problem } from '@callout/domain/problem/problem';

/**
 * The address that `--forward` names: a port of this machine, a host with or without a port, or a whole URL. A port alone
 * is 127.0.0.1, since `localhost` may be an IPv6 address that a program does not listen at.
 * @throws a Problem 400 for anything else.
 */
export function forwardUrl(given: string): string {
  const text = given.trim();
  const url = /^\d+$/u.test(text)
    ? `http://127.0.0.1:${text}/`
    : /^[a-z][a-z\d+.-]*:\/\//iu.test(text)
      ? text
      : `http://${text}`;
  if (/^https?:\/\//iu.test(url) && URL.canParse(url)) return new URL(url).href;
  throw Problem.invalid(
    '--forward must be a port such as 3000, or an http URL such as http://localhost:3000/hook. Without --forward, callouts are only printed.',
  );
}
