import { numberOptions } from './options.ts';

/** What `npm run bench -- --help` prints. */
export function helpText(): string {
  const rows = [
    ...Object.entries(numberOptions).map(([name, { meaning, default: usual }]) => [
      `--${name} <n>`,
      `${meaning} (${usual.toLocaleString('en-US')})`,
    ]),
    ['--isolation', 'show what bad receivers do to the others'],
    ['--target <file>', 'drive another webhook sender, as the file describes it, and count what arrives'],
    ['--json', 'end with one line of JSON'],
    ['--help', 'print this'],
  ];
  const width = Math.max(...rows.map(([option = '']) => option.length));
  return `npm run bench -- [options]

Sends events to an API process, which one or more worker processes turn into callouts to a counting receiver, over real
PostgreSQL and Redis, and prints what that cost. Exits with 1 when a callout was lost. Without options of the load (the
first six) it runs the five loads of docs/sizing.md, each in a new database.

${rows.map(([option = '', meaning = '']) => `  ${option.padEnd(width)}  ${meaning}`).join('\n')}

What is measured
  Changes of companies, one in ten of them a new one, with callouts of 1 KiB, after a warm-up that creates the companies.
  Node needs some 20,000 events until its code is optimised (--warmup). 'delivered/s' counts from the first POST to the
  last arrival; 'event to receiver' from the moment a POST is sent to the arrival of the callout, which without --rate is
  mostly waiting. CPU seconds are those of the whole process tree, until nothing is left to send. Bytes on disk and of
  write-ahead log are for an event with its callouts, dead rows included.

  --history makes a database with about so many attempts in 30 daily partitions, and runs three loads on it and on an
  empty one in turn. 10,000,000 take some 11 GB of disk.

  --isolation has 100 webhooks with a receiver each, all of which get 6 events per second (--rate), in rounds of 10 s: in
  turn one receiver hangs, ten fail every call, and ten take 2 s; between them are rounds in which all are well.

  --target starts nothing but the driver and a receiver, and drives a webhook sender that runs already, Callout or any
  other, with one event per request. The file is JSON:
    { "name": "…",
      "request": { "method": "POST", "url": "http://127.0.0.1:…", "headers": { … }, "body": { … }, "accepted": [202] },
      "receiverPort": 9700, "callouts": 1, "processes": { "service": { "command": "…" }, "redis": { "pid": 1 } } }
  The body contains "{{marker}}" somewhere, by which the receiver recognises the event, however it is wrapped;
  "{{filler}}" is replaced by text until the body has 1 KiB. The sender's webhooks point at
  http://127.0.0.1:<receiverPort>/. CPU is that of each named process and all below it.

What it runs on
  DATABASE_URL and REDIS_URL where they are set: it makes a database callout_bench_<random> there, uses Redis keys under
  the same name, and removes both. Otherwise it starts its own: the PostgreSQL that npm installed, and a redis-server or
  valkey-server from PATH or, without one, the embedded Valkey. Settings of API and worker (docs/configuration.md) are
  taken from the environment, such as CALLOUTS_IN_FLIGHT=100, and printed.
`;
}
