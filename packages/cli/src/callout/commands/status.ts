import type { Command } from 'commander';
import { readBacklog, type Backlog } from '@callout/db';
import { withDatabase, type CommandContext } from '../context.ts';
import { pairs, show, table } from '../show.ts';

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

/** `callout status` */
export function addStatusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('show what is owed at this moment, and to whom')
    .addHelpText(
      'after',
      `
The first thing to look at when something does not arrive; docs/troubleshooting.md tells what to do about it.
It reads every open callout once, and changes nothing.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const backlog = await withDatabase(context, ({ pool }) => readBacklog(pool, { mostWebhooks: MOST_WEBHOOKS }));
      show(context, command, { data: backlog, text: textOf(backlog, new Date()) });
    });
}

function textOf({ pendingEvents, openCallouts, connections, ...backlog }: Backlog, now: Date): string {
  const { due, dueSinceDateTime, beingSent, later, waiting, held } = openCallouts;
  const summary = pairs({
    pendingEvents: `${pendingEvents.count}${since('the oldest accepted', pendingEvents.oldestDateTime, now)}`,
    openCallouts: due + beingSent + later + waiting + held,
    '  due now': `${due}${since('the first of them due', dueSinceDateTime, now)}`,
    '  being sent': beingSent,
    '  due later': later,
    '  behind one of their record': waiting,
    '  held by a threshold': held,
    pausedWebhooks: backlog.pausedWebhooks,
    waitingMails: backlog.waitingMails,
    connections: `${connections.api} of APIs, ${connections.worker} of workers, ${connections.all} of ${connections.most} in all`,
  });
  if (backlog.fullest.length === 0) return summary;
  const rows = backlog.fullest.map(({ pausedUntilDateTime, ...webhook }) => ({
    ...webhook,
    pausedUntil: pausedUntilDateTime,
  }));
  return `${summary}\n\nMost open callouts:\n${table(rows, columns, '')}`;
}

function since(what: string, moment: Date | null, now: Date): string {
  if (moment === null) return '';
  return `, ${what} ${Math.max(0, Math.round((now.getTime() - moment.getTime()) / 1000))} s ago`;
}
