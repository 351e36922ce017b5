import { z } from 'zod';
import { key, UnreadableValue } from '../kinds/key.ts';
import { cidrs, oneOf, textLike, wholeNumber, yesNo } from '../kinds/kinds.ts';
import { mailRecipientConfig } from './mail-recipients.ts';
import { publicUrl, databaseUrl, redisUrl } from '../kinds/addresses.ts';
import { retrySchedule } from '../kinds/duration.ts';
import { secretKeys } from '../kinds/secret-keys.ts';

/** The forms of OTLP over HTTP, named as OpenTelemetry names them. */
export type OtlpProtocol = 'http/protobuf' | 'http/json';

/** How `OTEL_EXPORTER_OTLP_PROTOCOL` is read, by the specification of OpenTelemetry's exporters; its `grpc` is refused. */
export const otlpProtocol = {
  accepts: '`http/protobuf` or `http/json`',
  read(text: string): OtlpProtocol {
    if (text === 'http/protobuf' || text === 'http/json') return text;
    throw new UnreadableValue(text === 'grpc' ? 'collectors also take HTTP, usually on port 4318' : '');
  },
};

/** The keys that API and worker share. Both must have the same values. */
export const sharedConfig = z.object({
  DATABASE_URL: databaseUrl(),
  DATABASE_POOL_SIZE: wholeNumber({
    description: 'The most database connections that one process opens.',
    default: 10,
    min: 2,
    max: 500,
  }),
  DATABASE_WAIT_MS: wholeNumber({
    description:
      'Milliseconds that a starting process waits for a PostgreSQL that cannot be reached yet: it is starting, stopping or failing over, has no free connection, is too slow, or its host name is not known. Then the process exits with status 1.',
    default: 60_000,
    min: 0,
    max: 3_600_000,
  }),
  REDIS_URL: redisUrl(),
  REDIS_PREFIX: textLike({
    description: 'Start of every Redis key, so that several installations can share one Redis.',
    accepts: '1 to 50 letters, digits, `-`, `_` or `.`',
    pattern: /^[A-Za-z0-9_.-]{1,50}$/,
    default: 'callout',
  }),
  SECRET_KEYS: secretKeys(),
  ALLOW_MISSING_KEYS: yesNo({
    description:
      'Lets a process start even if `SECRET_KEYS` lacks a key that webhook secrets are encrypted with. Callouts of those webhooks wait until the key is back; see [troubleshooting.md](troubleshooting.md#a-key-is-missing).',
    default: false,
  }),
  ALLOW_HTTP_TARGETS: yesNo({
    description: 'Lets webhooks have `http:` addresses. Off, only `https:` is accepted.',
    default: false,
  }),
  CALLOUT_ALLOW_CIDRS: cidrs({
    description:
      'Private address ranges that callouts may reach. All others are refused, and metadata addresses always. A range of nearly all addresses, such as `0.0.0.0/0`, is refused at start.',
  }),
  CALLOUT_TIMEOUT_MS: wholeNumber({
    description:
      'Milliseconds from the start of an attempt to the end of the answer headers; a test through the API waits just as long.',
    default: 10_000,
    min: 100,
    max: 300_000,
  }),
  RETRY_SCHEDULE: retrySchedule(),
  DEACTIVATE_AFTER_FAILURES: wholeNumber({
    description: 'Callouts in a row that must fail after all attempts before their webhook is deactivated.',
    default: 25,
    min: 1,
    max: 1_000_000,
  }),
  CALLOUT_THRESHOLD: wholeNumber({
    description:
      'Callouts of one tenant and entity that may begin in any 3,600 consecutive seconds, 0 = no limit; callouts above it are held and sent later. A tenant can have its own threshold.',
    default: 1500,
    min: 0,
    max: 1_000_000_000,
  }),
  USER_AGENT: textLike({
    description: '`User-Agent` of every callout; the API shows it in simulations.',
    accepts: '1 to 200 visible ASCII characters',
    pattern: /^[\x20-\x7e]{1,200}$/,
    default: 'Callout/1.0',
  }),
  CONSOLE: oneOf({
    description:
      'Whether the API serves the console under `/console`, and the operator API its own part; with `off` sessions of the console are not accepted, and mail does not link to it: give workers the same. See [console.md](console.md).',
    words: ['on', 'off'],
    default: 'on',
  }),
  API_ROOT: textLike({
    description: 'First segment of every path, before `/v1.0`.',
    accepts: 'one path segment of letters, digits, `-`, `_` or `.`',
    pattern: /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/,
    default: 'atservicesrest',
  }),
  PUBLIC_URL: publicUrl(),
  ...mailRecipientConfig,
  CATALOGUE_DIR: key<string | undefined>({
    description: 'Directory with one JSON file per entity, in place of the catalogue that comes with Callout.',
    accepts: 'a directory',
    whenAbsent: undefined,
    read: (text) => text,
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: key<string | undefined>({
    description:
      'Where traces are sent, by OTLP over HTTP; without it nothing is traced. The other variables of OpenTelemetry count too, see [watching.md](watching.md#traces).',
    accepts: 'an `http:` or `https:` URL, such as `http://otel-collector:4318`',
    whenAbsent: undefined,
    read: (text) => {
      if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new UnreadableValue();
      return text;
    },
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: key<OtlpProtocol>({
    ...otlpProtocol,
    description: 'The form in which traces are sent; `grpc` is not supported.',
    default: 'http/protobuf',
  }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: key<OtlpProtocol | undefined>({
    ...otlpProtocol,
    description: 'The same, with precedence over `OTEL_EXPORTER_OTLP_PROTOCOL`.',
    whenAbsent: undefined,
  }),
  LOG_LEVEL: oneOf({
    description: 'The lowest level that is logged.',
    words: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  }),
  DRAIN_TIMEOUT_MS: wholeNumber({
    description:
      'Milliseconds that a stopping process may take to finish its work in progress; then it exits with status 1. Keep it below the grace period of your process manager.',
    default: 25_000,
    min: 100,
    max: 600_000,
  }),
});
