import { numberOptions } from './options.ts';

/** What `npm run bench -- --help` prints. */
export function helpText(): string {
  const rows = [
    ...Object.entries(numberOptions).map(([name, option]) => [
      `--${name} <${option.isShare === true ? '0..1' : 'n'}>`,
      `${option.meaning} (${option.default.toLocaleString('en-US')})`,
    ]),
    ['--accept-first', 'start the workers when all events are accepted: acceptance by itself'],
    ['--isolation', 'show what receivers that hang, fail or are slow do to the webhooks of the others'],
    ['--keep', 'with --history: leave its database for the next run, which takes minutes less'],
    ['--target <file>', 'drive another webhook sender, as the file describes it, and count what arrives'],
    ['--json', 'end with one line of JSON'],
    [
      '--profile <dir>',
      'write CPU profiles of API and workers, the costliest statements, and what the statistics cost, into a directory',
    ],
    ['--help', 'print this'],
  ];
  const width = Math.max(...rows.map(([option = '']) => option.length));
  return `npm run bench -- [options]

Sends events to an API process, which one or more worker processes turn into callouts to a counting receiver, over real
PostgreSQL and Redis, and prints what that cost. Exits with 1 when a callout was lost.

${rows.map(([option = '', meaning = '']) => `  ${option.padEnd(width)}  ${meaning}`).join('\n')}

What is measured
  The driver sends events in a closed loop of some connections: changes of companies, one in ten of them a new one,
  each with all its fields. Before that, a warm-up creates the companies. Node optimises what has run for some 20,000 events
  only (--warmup): with few events before it a run measures that as well. 'delivered/s' counts from the first POST to the last
  arrival; latency counts from the moment a POST is sent to the arrival of the callout. Without --rate the queue is as
  long as the API can make it, and latency is mostly waiting; use --rate for the latency at a given load.
  CPU seconds are those of the whole process tree, from the first POST until nothing is left to send.
  With --accept-first no worker runs while events are accepted, what acceptance costs is told per 1,000 events, and the
  memory of the API as the average of each third of that time; then the workers start, and everything must arrive.

  With --search it fills a tenant with companies, by statements of PostgreSQL, and asks the API for them, one query at a
  time, each for other values; every answer is checked.

  With --log it fills the delivery log with about so many attempts of 30 days, by statements of PostgreSQL, and asks the API for
  pages, filters, single callouts and events; every answer is checked, and the indexes are shown that each was found by.
  10,000,000 take some 12 GB of disk, which are free again afterwards.

  With --history it makes a database with about so many attempts of 30 days, with all that an installation has besides,
  and runs the same loads on it and on an empty one, in turn (--cycles): 200 single events a second, 64 connections, batches.
  It compares CPU time, latency, log bytes and blocks read for each callout, times what people ask of the log and what the
  processes do besides their work, and names each statement that costs notably more. Then it drops a day, as retention does.
  10,000,000 take some 11 GB of disk and a quarter of an hour to make; with --keep the database stays for the next run.

  With --viewers it connects so many viewers of GET /Live to one API, 200 of each tenant, publishes results as workers do,
  0, 50 and 200 a second, and tells what the API takes: CPU, memory, and what it left out.

  With --isolation 100 webhooks with a receiver each get all of 6 events per second (--rate), in rounds of 10 s: in turn one
  receiver hangs, ten fail every call, ten take 2 s; between them are rounds in which all are healthy, for comparison.
  After each round all become healthy, and everything must arrive.

  With --target it starts nothing but the driver and a receiver, and drives a webhook sender that runs already, Callout or
  any other, with one event per request. The file is JSON:
    { "name": "…",
      "request": { "method": "POST", "url": "http://127.0.0.1:…", "headers": { … }, "body": { … }, "accepted": [202] },
      "receiverPort": 9700, "callouts": 1,
      "processes": { "service": { "command": "…" }, "postgres": { "pidFile": "…" }, "redis": { "pid": 1 } } }
  The body contains "{{marker}}" somewhere, by which the receiver recognises the event, however it is wrapped;
  "{{filler}}" is replaced by text until the body has --payload bytes. The sender's webhooks point at
  http://127.0.0.1:<receiverPort>/. CPU is that of each named process and all below it.

What it runs on
  DATABASE_URL and REDIS_URL where they are set: it makes a database callout_bench_<random> there, uses Redis keys under
  the same name, and removes both. Otherwise it starts its own: the PostgreSQL that npm installed, and a redis-server or
  valkey-server from PATH or, without one, the embedded Valkey. Settings of API and worker (docs/configuration.md) are
  taken from the environment, such as CALLOUTS_IN_FLIGHT=100, and printed.

Examples
  npm run bench                                        the standard run
  npm run bench -- --rate 500                          latency at 500 events per second
  npm run bench -- --accept-first --events 100000      acceptance alone, in batches of 100
  npm run bench -- --accept-first --batch 1 --connections 64
  npm run bench -- --fanout 10 --slow 0.2 --json       every fifth receiver is slow
  npm run bench -- --fanout 4 --failing 0.25           every fourth receiver fails at first
  npm run bench -- --isolation --workers 2             what bad receivers do to the others
  npm run bench -- --search 1000000                    searching a million companies
  npm run bench -- --target sender.json --rate 200     the same load for another sender
  npm run bench -- --viewers 1000                      a thousand people who watch live
  npm run bench -- --history 10000000 --keep           what a long history costs
  npm run bench -- --log 10000000                      the delivery log at ten million attempts
`;
}
