// The receiver of a target: a process of its own, so that its work is neither the sender's nor the driver's. Started with
// an IPC channel; ends with the benchmark.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { nowMs } from '../clock.ts';
import { createFinder } from './marker.ts';
import type { FromTargetReceiver, TargetArrivals, ToTargetReceiver } from './messages.ts';

const PROGRESS_EVERY_MS = 20;
const KEEP_ALIVE_MS = 600_000;

let books: { find: (body: Buffer) => number | undefined; arrivals: Writable } | undefined;
type Writable = { -readonly [Key in keyof TargetArrivals]: TargetArrivals[Key] };

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  const atMs = nowMs();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    note(Buffer.concat(chunks), atMs);
    response.sendDate = false;
    response.writeHead(200, { 'Content-Length': 0 }).end();
  });
});

function note(body: Buffer, atMs: number): void {
  if (books === undefined) return;
  const { find, arrivals } = books;
  const event = find(body);
  arrivals.requests += 1;
  if (event === undefined || event >= arrivals.counts.length) {
    arrivals.unknown += 1;
    return;
  }
  arrivals.counts[event] = (arrivals.counts[event] ?? 0) + 1;
  if (arrivals.firstAtMs[event] === 0) arrivals.firstAtMs[event] = atMs;
  arrivals.lastAtMs = atMs;
}

function tell(message: FromTargetReceiver): void {
  process.send?.(message);
}

process.on('message', (message: ToTargetReceiver) => {
  if (message.kind === 'report') {
    if (books === undefined) throw new Error('report before the run began');
    tell({ kind: 'arrivals', arrivals: books.arrivals });
    return;
  }
  const { run, events, port } = message;
  const counts = new Uint16Array(events);
  const firstAtMs = new Float64Array(events);
  books = { find: createFinder(run), arrivals: { requests: 0, unknown: 0, counts, firstAtMs, lastAtMs: 0 } };
  if (server.listening) tell({ kind: 'listening' });
  else void listen(port);
});

async function listen(port: number): Promise<void> {
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    tell({ kind: 'listening' });
  } catch (error) {
    tell({ kind: 'refused', why: `receiverPort ${port}: ${(error as Error).message}` });
  }
}

let told = 0;
setInterval(() => {
  const requests = books?.arrivals.requests ?? 0;
  if (requests === told) return;
  told = requests;
  tell({ kind: 'progress', requests });
}, PROGRESS_EVERY_MS);

process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches all processes of the terminal: the benchmark decides in which order things stop.
process.on('SIGINT', () => undefined);
