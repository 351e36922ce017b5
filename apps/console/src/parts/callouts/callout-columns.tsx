import type { Schemas } from '@callout/client';
import { RecordName } from '../show/record-name.tsx';
import { LastAttempt } from '../show/last-attempt.tsx';
import { PageLink, WebhookLink } from '../show/links.tsx';
import { Time } from '../show/time.tsx';
import type { Column } from '../table/records-table.tsx';

type Callout = Schemas['Callout'];

/** What lists of callouts have in common. */
export const what: Column<Pick<Callout, 'action' | 'entityType' | 'recordID'>> = {
  title: 'What',
  cell: ({ action, entityType, recordID }) =>
    recordID === null ? (
      <span className="one-line">{action}</span>
    ) : (
      <>
        {action} of <RecordName entityType={entityType} recordID={recordID} />
      </>
    ),
};
export const madeAt: Column<Pick<Callout, 'createDateTime'>> = {
  title: 'Made',
  cell: ({ createDateTime }) => <Time value={createDateTime} />,
};
export const attempts: Column<Pick<Callout, 'attemptsMade'>> = {
  title: 'Attempts',
  isNumber: true,
  cell: ({ attemptsMade }) => attemptsMade,
};
export const lastAttempt: Column<Pick<Callout, 'lastAttempt'>> = {
  title: 'Last attempt',
  cell: (callout) => <LastAttempt attempt={callout.lastAttempt} />,
};

/** Of lists of callouts of all webhooks. */
export const calloutColumns: readonly Column<Callout>[] = [
  {
    title: 'Callout',
    cell: ({ id, sequenceNumber }) => <PageLink to={`/callouts/${id}`}>{sequenceNumber}</PageLink>,
  },
  {
    title: 'Webhook',
    cell: ({ entityType, webhookID, webhookName }) => (
      <WebhookLink entityType={entityType} webhookID={webhookID} name={webhookName} />
    ),
  },
  what,
  lastAttempt,
  attempts,
  madeAt,
];
