import { Alert, Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isUnreadable, Problem } from '../../parts/problem.tsx';
import { Reading } from '../../parts/reading.tsx';
import { Sentence } from '../../parts/show/sentence.tsx';
import { readinessQuery, type WebhookAddress } from './webhook-queries.ts';

/** What to do about each reason. Undefined: it passes by itself, or only the operator can. */
const remedies: Readonly<Record<string, { readonly label: string; readonly tab: string } | undefined>> = {
  inactive: { label: 'Activate it in the settings', tab: 'settings' },
  noFieldRecord: { label: 'Add a field in the settings', tab: 'settings' },
  subscribedToNothing: { label: 'Choose an action in the settings', tab: 'settings' },
  noSubscribedField: { label: 'Watch a field in the settings', tab: 'settings' },
  receiverPaused: { label: 'See what the last attempts were answered', tab: 'deliveries' },
  certificateExpired: { label: 'Replace the certificate', tab: 'authentication' },
  certificateExpires: { label: 'Replace the certificate', tab: 'authentication' },
  receiverFailing: { label: 'See what the last attempts were answered', tab: 'deliveries' },
  digestFailed: { label: 'See the newest callouts', tab: 'deliveries' },
  digestLate: { label: 'See the digests', tab: 'digest' },
  notFetched: { label: 'See what waits to be fetched', tab: 'deliveries' },
};

interface ReadinessAlertProps {
  readonly address: WebhookAddress;
  /** Says no more than a line while all is well. */
  readonly isBrief?: boolean;
}

/** Whether it gets callouts and why not, in the words of the API, with what to do about each reason. */
export function ReadinessAlert({ address, isBrief = false }: ReadinessAlertProps) {
  const readiness = useQuery(readinessQuery(address));
  if (isUnreadable(readiness)) {
    return (
      <Problem title="The status could not be read" error={readiness.error} retry={() => void readiness.refetch()} />
    );
  }
  if (!readiness.data) return <Reading label="the status" />;
  const { getsCallouts, reasons } = readiness.data;
  if (reasons.length === 0 && isBrief) return <Text size="sm">Active and ready: changes cause callouts.</Text>;
  if (reasons.length === 0) {
    return (
      <Alert color="green" title="All is well">
        The webhook is active and ready, no callout fails, and the threshold holds none.
      </Alert>
    );
  }
  return (
    <Alert color={getsCallouts ? 'yellow' : 'red'} title={titleOf(readiness.data)}>
      <List size="sm" spacing="xs">
        {reasons.map(({ code, message }) => {
          const remedy = remedies[code];
          return (
            <List.Item key={code}>
              <Sentence text={message} />{' '}
              {remedy && (
                <Anchor
                  component={Link}
                  to={`/webhooks/${address.entity.type}/${address.id}?tab=${remedy.tab}`}
                  size="sm"
                  c="inherit"
                  underline="always"
                >
                  {remedy.label}
                </Anchor>
              )}
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
}

function titleOf({ getsCallouts, reasons }: { getsCallouts: boolean; reasons: readonly { code: string }[] }): string {
  if (!getsCallouts) return 'No callouts are sent';
  return reasons.some(({ code }) => code === 'notFetched')
    ? 'No callouts are fetched'
    : 'Callouts are sent, but something is wrong';
}
