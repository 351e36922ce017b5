import { types } from 'node:util';

/**
 * The printable form of a value. Log lines have many readers and are kept for long, hence an allow list: plain objects,
 * arrays and primitives are printed, everything else (requests, sockets, buffers, clients) becomes a type name.
 */
export function loggable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return withoutUrlPasswords(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (types.isNativeError(value)) return loggableError(value, depth);
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString();
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => loggable(entry, depth + 1));
  if (!isPlain(value)) return `[${value.constructor.name}]`;
  return loggableFields(value, depth);
}

/** The same for the fields of a log line. */
export function loggableFields(fields: object, depth = 0): Record<string, unknown> {
  const shown: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) {
    shown[name] = isSecretName(name) ? '[redacted]' : loggable(value, depth + 1);
  }
  return shown;
}

const MAX_DEPTH = 5;
const MAX_ENTRIES = 100;

/**
 * Parts of names, compared without case, `-` and `_`: `X-Hook-Signature`, `x_hook_signature` and `xHookSignature` are
 * one.
 */
const SECRET_PARTS =
  /secret|password|token|authorization|cookie|signature|apikey|integrationcode|databaseurl|redisurl|smtpurl|connectionstring/;

const SECRET_NAMES = new Set(
  [
    ...['pass', 'auth', 'credentials'],
    // contents of requests, records and callouts: they belong to the tenant, not to the readers of the log
    ...['body', 'rawBody', 'payload', 'fields', 'udfFields', 'userDefinedFields', 'headers'],
  ].map(foldName),
);

function isSecretName(name: string): boolean {
  const folded = foldName(name);
  return SECRET_NAMES.has(folded) || SECRET_PARTS.test(folded);
}

function foldName(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Type, message, stack, code and cause. Own properties of errors are left out: clients hang whole requests on them. */
function loggableError(error: Error, depth: number): Record<string, unknown> {
  const code: unknown = Reflect.get(error, 'code');
  const errors: unknown = Reflect.get(error, 'errors');
  return {
    type: error.name,
    message: withoutUrlPasswords(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: withoutUrlPasswords(error.stack ?? ''),
    ...(error.cause === undefined || depth >= MAX_DEPTH ? {} : { cause: loggable(error.cause, depth + 1) }),
    ...(Array.isArray(errors) && depth < MAX_DEPTH ? { errors: loggable(errors, depth + 1) } : {}),
  };
}

/**
 * Connection URLs appear in messages of drivers: `postgres://user:password@host` loses its password, up to the last
 * `@`.
 */
function withoutUrlPasswords(text: string): string {
  return text.includes('://') ? text.replaceAll(/(:\/\/[^\s/:@]*):[^\s/]*@/g, '$1:[redacted]@') : text;
}
