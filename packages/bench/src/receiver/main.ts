// The counting receiver: a process of its own, so that its work is neither the service's nor the driver's. Started with an
// IPC channel; ends with the benchmark.
import { listenOnLoopback } from '@callout/local/process';
import { createCallCounts } from './call-counts.ts';
import { createLedger } from './ledger.ts';
import type { FromReceiver, ToReceiver } from './messages.ts';
import { createReceiverServer, type Duty } from './server.ts';

const PROGRESS_EVERY_MS = 20;

let duty: Duty | undefined;
let told = 0;

const server = createReceiverServer(() => duty);
const port = await listenOnLoopback(server);

function tell(message: FromReceiver): void {
  process.send?.(message);
}

process.on('message', (message: ToReceiver) => {
  if (message.kind === 'begin') {
    const { phase, events, behaviours } = message;
    const webhooks = behaviours.length;
    duty = { phase, behaviours, ledger: createLedger({ webhooks, events }), calls: createCallCounts(webhooks) };
    told = 0;
    tell({ kind: 'began' });
  } else if (message.kind === 'open') {
    void open(message.webhooks).then((ports) => tell({ kind: 'opened', ports }));
  } else if (duty === undefined) {
    throw new Error(`${message.kind} before any phase began`);
  } else if (message.kind === 'behave') {
    const { behaviours } = message;
    const calls = duty.calls.counts();
    duty = { ...duty, behaviours, calls: createCallCounts(behaviours.length) };
    tell({ kind: 'behaved', calls });
  } else {
    tell({ kind: 'arrivals', arrivals: duty.ledger.arrivals() });
  }
});

async function open(webhooks: number): Promise<number[]> {
  const servers = Array.from({ length: webhooks }, () => createReceiverServer(() => duty));
  return Promise.all(servers.map((each) => listenOnLoopback(each)));
}

setInterval(() => {
  const delivered = duty?.ledger.delivered() ?? 0;
  if (delivered === told) return;
  told = delivered;
  tell({ kind: 'progress', delivered });
}, PROGRESS_EVERY_MS);

process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches all processes of the terminal: the benchmark decides in which order things stop.
process.on('SIGINT', () => undefined);
tell({ kind: 'listening', port });
