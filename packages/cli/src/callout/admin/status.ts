import type { Command } from 'commander';
import type { Backlog } from '@callout/history/status/backlog';
import type { CommandContext } from '../context.ts';
import { knownKeyIds, withDatabase } from './database/database.ts';
import { printable } from '../../output/printable.ts';
import { isWithin, pairs, show, table } from '../show/show.ts';

const MOST_WEBHOOKS = 10;
const columns = [
  'tenantID',
  'entityType',
  'webhookID',
  'name',
  'isActive',
  'openCallouts',
  'pausedUntil',
  'lastFailure',
];

/** `callout admin status` */
export function addStatusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('show what is waiting now, and for which webhooks')
    .addHelpText(
      'after',
      `
The first thing to check when something does not arrive; docs/troubleshooting.md says what to do.
It reads every open callout once, and changes nothing.
With SECRET_KEYS set, it also lists the keys in use that are missing there.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const ring = knownKeyIds(context);
      const { describeMissingKeys, findMissingKeys } = await import('@callout/tenancy/operator/missing-keys');
      const { readBacklog } = await import('@callout/history/status/backlog');
      const { missingKeys, ...backlog } = await withDatabase(context, async ({ pool }) => ({
        ...(await readBacklog(pool, { mostWebhooks: MOST_WEBHOOKS })),
        missingKeys: ring === undefined ? null : await findMissingKeys(pool, ring),
      }));
      const text = [
        statusText(backlog, new Date(), context.out.columns),
        ...describeMissingKeys(missingKeys ?? []),
      ].join('\n\n');
      show(context, command, { data: { ...backlog, missingKeys }, text });
    });
}

export function statusText(
  { pendingEvents, openCallouts, connections, ...backlog }: Backlog,
  now: Date,
  most?: number,
): string {
  const { due, dueSinceDateTime, beingSent, inLine, toFetch, paused, later, waiting, held, cancelling } = openCallouts;
  const summary = pairs({
    pendingEvents: `${pendingEvents.count}${since('the oldest accepted', pendingEvents.oldestDateTime, now)}`,
    openCallouts: due + beingSent + inLine + toFetch + paused + later + waiting + held + cancelling,
    '  due now': `${due}${since('the first of them due', dueSinceDateTime, now)}`,
    '  being sent': beingSent,
    '  in line behind those': inLine,
    '  waiting to be fetched': toFetch,
    '  paused, receiver down': paused,
    '  due later': later,
    '  behind one of their record': waiting,
    '  held by a threshold': held,
    '  to be cancelled': cancelling,
    pausedWebhooks: backlog.pausedWebhooks,
    unfetchedWebhooks: backlog.unfetchedWebhooks,
    waitingMails: backlog.waitingMails,
    connections: `${connections.api} of APIs, ${connections.worker} of workers, ${connections.all} to this database; the server has ${connections.server} of ${connections.most}`,
  });
  if (backlog.fullest.length === 0) return summary;
  const rows = backlog.fullest.map(({ pausedUntilDateTime, ...webhook }) => ({
    ...webhook,
    pausedUntil: pausedUntilDateTime,
  }));
  return `${summary}\n\nMost open callouts:\n${isWithin(rows, columns, most) ? table(rows, columns, '') : backlog.fullest.map(lineOf).join('\n')}`;
}

/** A webhook on a terminal that is too narrow for the table: the reason of failures matters most, and is not cut. */
function lineOf(webhook: Backlog['fullest'][number]): string {
  const { tenantID, entityType, webhookID, name, isActive, openCallouts, pausedUntilDateTime: paused } = webhook;
  const states = [`${openCallouts} open`];
  if (!isActive) states.push('inactive');
  if (paused !== null) states.push(`paused until ${paused.toISOString()}`);
  const head = `Tenant ${tenantID}, ${entityType} ${webhookID}, ${printable(name)}: ${states.join(', ')}`;
  return webhook.lastFailure === null ? head : `${head}\n  ${printable(webhook.lastFailure)}`;
}

function since(what: string, moment: Date | null, now: Date): string {
  if (moment === null) return '';
  return `, ${what} ${Math.max(0, Math.round((now.getTime() - moment.getTime()) / 1000))} s ago`;
}
