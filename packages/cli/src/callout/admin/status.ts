import type { OperatorSchemas as Schemas } from '@callout/client';
import { printable } from '../../printable.ts';
import { isWithin, pairs, table } from '../show/show.ts';

const columns = [
  'tenantID',
  'tenantName',
  'entityType',
  'webhookID',
  'name',
  'isActive',
  'openCallouts',
  'pausedUntil',
  'lastFailure',
];

/** What waits now, and for which webhooks. `most`: the width of the terminal. */
export function statusText({ pendingEvents, openCallouts, connections, ...backlog }: Schemas['Status'], most?: number) {
  const {
    due,
    dueSinceDateTime,
    beingSent,
    inLine,
    rate,
    toFetch,
    paused,
    later,
    waiting: behind,
    held: heldCallouts,
    cancelling,
  } = openCallouts;
  const now = Date.parse(backlog.checkDateTime);
  const summary = pairs({
    pendingEvents: waiting('the oldest accepted', pendingEvents, now),
    openCallouts: due + beingSent + inLine + rate + toFetch + paused + later + behind + heldCallouts + cancelling,
    '  due now': `${due}${since('the first of them due', dueSinceDateTime, now)}`,
    '  being sent': beingSent,
    '  in line for their webhook': inLine,
    '  beyond the rate of their webhook': rate,
    '  waiting to be fetched': toFetch,
    '  paused, receiver down': paused,
    '  due later': later,
    '  behind an earlier callout': behind,
    '  held by a threshold': heldCallouts,
    '  to be cancelled': cancelling,
    pausedWebhooks: backlog.pausedWebhooks,
    unfetchedWebhooks: backlog.unfetchedWebhooks,
    waitingMails: backlog.waitingMails,
    waitingHealthEvents: waiting('the oldest of what happened', backlog.waitingHealthEvents, now),
    waitingOperatorMessages: waiting('the oldest stored', backlog.waitingOperatorMessages, now),
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
function lineOf(webhook: Schemas['FullWebhook']): string {
  const {
    tenantID,
    tenantName,
    entityType,
    webhookID,
    name,
    isActive,
    openCallouts,
    pausedUntilDateTime: paused,
  } = webhook;
  const states = [`${openCallouts} open`];
  if (!isActive) states.push('inactive');
  if (paused !== null) states.push(`paused until ${paused}`);
  const head = `${printable(tenantName)} (tenant ${tenantID}), ${entityType} ${webhookID}, ${printable(name)}: ${states.join(', ')}`;
  return webhook.lastFailure === null ? head : `${head}\n  ${printable(webhook.lastFailure)}`;
}

function waiting(what: string, { count, oldestDateTime }: Schemas['Status']['pendingEvents'], now: number): string {
  return `${count}${since(what, oldestDateTime, now)}`;
}

function since(what: string, moment: string | null, now: number): string {
  if (moment === null) return '';
  return `, ${what} ${Math.max(0, Math.round((now - Date.parse(moment)) / 1000))} s ago`;
}
