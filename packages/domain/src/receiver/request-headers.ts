import { z } from 'zod';

/** A header that the owner of a webhook adds to requests. The value is a secret. */
export interface RequestHeader {
  readonly name: string;
  readonly value: string;
}

const maxHeaders = 20;
const maxNameLength = 100;
const maxValueLength = 4096;

/** A token of RFC 9110, 5.6.2. */
const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
/** Visible ASCII, with blanks and tabs inside: what every HTTP client and server passes on unchanged. */
const valuePattern = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/u;
/** CR, LF or NUL as a URL spells them: some servers decode header values. */
const escapedControl = /%0[0ad]/iu;

/** Why a name cannot be chosen, by the name in lower case. */
const refusedNames: Readonly<Record<string, string>> = {
  ...named('is set by Callout', ['content-length', 'content-type', 'host', 'user-agent']),
  ...named('is set by Callout when it traces', ['traceparent', 'tracestate']),
  ...named('belongs to the connection and not to the request', [
    'connection',
    'expect',
    'http2-settings',
    'keep-alive',
    'proxy-authenticate',
    'proxy-authorization',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ]),
  ...named('says that the body is encoded, which it is not', ['content-encoding']),
};

function named(why: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, why]));
}

/**
 * Reads `requestHeaders`: at most 20 objects with `name` and `value`. The value may be the mask, which an update
 * understands as the stored one.
 */
export const requestHeadersInput = z
  .array(z.unknown(), 'must be a list of objects with name and value')
  .transform((entries, context): RequestHeader[] => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (entries.length > maxHeaders) return refuse(`must have ${maxHeaders} headers or fewer`);
    const names = new Set<string>();
    const headers: RequestHeader[] = [];
    for (const [index, entry] of entries.entries()) {
      const { name, value } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>;
      if (typeof name !== 'string' || typeof value !== 'string') {
        return refuse(`must have a name and a value, both text, in entry ${index + 1}`);
      }
      const problem = nameProblem(name) ?? (names.has(name.toLowerCase()) ? 'occurs twice' : valueProblem(value));
      // A refused name may be part of an attack, or a secret in the wrong place, and is quoted only when it is a token.
      if (problem !== undefined)
        return refuse(
          `entry ${index + 1}${namePattern.test(name) ? `, ${name.slice(0, maxNameLength)},` : ''} ${problem}`,
        );
      names.add(name.toLowerCase());
      headers.push({ name, value });
    }
    return headers;
  });

function nameProblem(name: string): string | undefined {
  if (name.length > maxNameLength) return `must have a name of ${maxNameLength} characters or fewer`;
  if (!namePattern.test(name)) return 'must have a name of letters, digits and - only (a token of RFC 9110)';
  const lower = name.toLowerCase();
  if (lower.startsWith('webhook-') || lower.startsWith('x-hook-')) return 'cannot be chosen: it is set by Callout';
  const why = Object.hasOwn(refusedNames, lower) ? refusedNames[lower] : undefined;
  return why === undefined ? undefined : `cannot be chosen: it ${why}`;
}

function valueProblem(value: string): string | undefined {
  if (value.length > maxValueLength) return `must have a value of ${maxValueLength} characters or fewer`;
  if (!valuePattern.test(value)) {
    return 'must have a value of visible ASCII characters, with blanks only inside: no line ends, no control characters';
  }
  return escapedControl.test(value) ? 'must have a value without %0D, %0A and %00' : undefined;
}
