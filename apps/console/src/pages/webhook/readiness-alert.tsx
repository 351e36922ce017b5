import { Alert, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { WebhookAddress } from '../../api/entities.ts';
import { readinessQuery } from './webhook-queries.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { inConsole } from '../../parts/show/in-console.ts';
import { Sentence } from '../../parts/show/time.tsx';

interface Readiness {
  readonly getsCallouts: boolean;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
}

/** What to do about each reason. Undefined: the reason passes by itself, or only the operator can help. */
const remedies: Readonly<Record<string, { readonly label: string; readonly tab: string } | undefined>> = {
  inactive: { label: 'Activate it in the settings', tab: 'settings' },
  noFieldRecord: { label: 'Add a field in the settings', tab: 'settings' },
  subscribedToNothing: { label: 'Choose an action in the settings', tab: 'settings' },
  noSubscribedField: { label: 'Watch a field in the settings', tab: 'settings' },
  receiverPaused: { label: 'See the last attempts', tab: 'deliveries' },
  certificateExpired: { label: 'Replace the certificate', tab: 'settings' },
  certificateExpires: { label: 'Replace the certificate', tab: 'settings' },
  receiverFailing: { label: 'See the last attempts', tab: 'deliveries' },
  notFetched: { label: 'See what waits to be fetched', tab: 'deliveries' },
};

interface ReadinessAlertProps {
  readonly address: WebhookAddress;
  /** Shows nothing while all is well. */
  readonly isBrief?: boolean;
}

/** Whether the webhook gets callouts and why not, in the words of the API, with what to do about each reason. */
export function ReadinessAlert({ address, isBrief = false }: ReadinessAlertProps) {
  return (
    <Loaded query={useQuery(readinessQuery(address))} label="the status">
      {(readiness) =>
        readiness.reasons.length > 0 ? (
          <Reasons readiness={readiness} page={`/webhooks/${address.entity.type}/${address.id}`} />
        ) : isBrief ? null : (
          <Alert color="green" title="All is well">
            The webhook is active and ready, no callout fails, and the threshold holds none.
          </Alert>
        )
      }
    </Loaded>
  );
}

function Reasons({ readiness, page }: { readonly readiness: Readiness; readonly page: string }) {
  return (
    <Alert color={readiness.getsCallouts ? 'yellow' : 'red'} title={titleOf(readiness)}>
      <List size="sm" spacing="xs">
        {readiness.reasons.map(({ code, message }) => {
          const remedy = remedies[code];
          return (
            <List.Item key={code}>
              <Sentence text={inConsole(message)} />{' '}
              {remedy && (
                <PageLink to={page} search={{ tab: remedy.tab }} c="inherit" underline="always">
                  {remedy.label}
                </PageLink>
              )}
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
}

function titleOf({ getsCallouts, reasons }: Readiness): string {
  if (!getsCallouts) return 'No callouts are sent';
  return reasons.some(({ code }) => code === 'notFetched')
    ? 'No callouts are fetched'
    : 'Callouts are sent, but something is wrong';
}
