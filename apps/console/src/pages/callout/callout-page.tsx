import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { addressOf } from '../../api/entities.ts';
import { AttemptView } from './attempt-view.tsx';
import { CalloutActions } from './callout-actions.tsx';
import { CalloutFacts } from './callout-facts.tsx';
import { type CalloutAddress, type CalloutDetails, calloutQuery } from './callout-query.ts';
import { curlOf } from './curl.ts';
import { Neighbours } from './neighbours.tsx';
import { VerifySection } from './verify-section.tsx';
import { Why } from './why.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { BodyView, Copy } from '../../parts/show/code.tsx';
import { WebhookLink } from '../../parts/show/links.tsx';

/** A callout: what was sent, what came back each time, why the callout exists and what the callout waits for. */
export default function CalloutPage() {
  const { calloutId = '', entityType = '', webhookId = '' } = useParams({ strict: false });
  const address: CalloutAddress = { calloutID: calloutId, webhook: addressOf(entityType, webhookId) };
  return (
    <Loaded query={useQuery(calloutQuery(address))} label="the callout">
      {(callout) => <CalloutOf callout={callout} address={address} />}
    </Loaded>
  );
}

interface CalloutOfProps {
  readonly callout: CalloutDetails;
  readonly address: CalloutAddress;
}

function CalloutOf({ callout, address }: CalloutOfProps) {
  const { kind, sequenceNumber, entityType, webhookID, webhookName, body, attempts } = callout;
  const title = kind === 'event' ? `Callout ${sequenceNumber}` : `The ${kind} callout`;
  return (
    <Page
      title={title}
      lead={
        <>
          of <WebhookLink entityType={entityType} webhookID={webhookID} name={webhookName} />
        </>
      }
      actions={<CalloutActions callout={callout} />}
    >
      <Neighbours callout={callout} isBelowWebhook={address.webhook !== undefined} />
      <CalloutFacts callout={callout} />
      <Why callout={callout} />
      <Section title="Request">
        <BodyView text={body} label="Body, exactly as it is signed and sent" />
        <div>
          <Copy value={curlOf(callout)} label="Copy as curl" />
        </div>
      </Section>
      <Section title="Attempts">
        {attempts.length === 0 && <Text c="dimmed">No request was sent yet.</Text>}
        {attempts.toReversed().map((attempt) => (
          <AttemptView key={attempt.startDateTime} attempt={attempt} body={body} />
        ))}
      </Section>
      <VerifySection callout={callout} />
    </Page>
  );
}
