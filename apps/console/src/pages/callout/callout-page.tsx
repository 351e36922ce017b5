import { Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { entityOfType } from '../../api/entities.ts';
import { BodyView } from '../../parts/show/body-view.tsx';
import { Copy } from '../../parts/show/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { isUnreadable, Problem } from '../../parts/problem.tsx';
import { Reading } from '../../parts/reading.tsx';
import { WebhookLink } from '../../parts/show/webhook-link.tsx';
import { Section } from '../../parts/section.tsx';
import { AttemptView } from './attempt-view.tsx';
import { CalloutActions } from './callout-actions.tsx';
import { CalloutFacts } from './callout-facts.tsx';
import { calloutQuery, type CalloutAddress, type CalloutDetails } from './callout-query.ts';
import { curlOf } from './curl.ts';
import { Neighbours } from './neighbours.tsx';
import { VerifySection } from './verify-section.tsx';
import { Why } from './why.tsx';

/** One callout: what was sent, what came back each time, why it exists and what it waits for. */
export default function CalloutPage() {
  const { calloutId = '', entityType = '', webhookId } = useParams({ strict: false });
  const entity = entityOfType(entityType);
  const id = Number(webhookId);
  const address: CalloutAddress = {
    calloutID: calloutId,
    webhook: entity !== undefined && Number.isSafeInteger(id) && id > 0 ? { entity, id } : null,
  };
  const callout = useQuery(calloutQuery(address));
  if (isUnreadable(callout)) {
    return <Problem title="The callout could not be read" error={callout.error} retry={() => void callout.refetch()} />;
  }
  return callout.data === undefined ? (
    <Reading label="the callout" />
  ) : (
    <CalloutOf callout={callout.data} address={address} />
  );
}

interface CalloutOfProps {
  readonly callout: CalloutDetails;
  readonly address: CalloutAddress;
}

function CalloutOf({ callout, address }: CalloutOfProps) {
  const { kind, sequenceNumber, entityType, webhookID, body, attempts } = callout;
  const title = kind === 'event' ? `Callout ${sequenceNumber}` : `The ${kind} callout`;
  return (
    <Page
      title={title}
      lead={
        <>
          of <WebhookLink entityType={entityType} webhookID={webhookID} />
        </>
      }
      actions={<CalloutActions callout={callout} />}
    >
      <Neighbours callout={callout} isBelowWebhook={address.webhook !== null} />
      <CalloutFacts callout={callout} />
      <Why callout={callout} />
      <Section title="Request">
        <BodyView text={body} label="Body, exactly as it is signed and sent" />
        <Group>
          <Copy value={curlOf(callout)} label="Copy as curl" />
        </Group>
      </Section>
      <Title order={2}>Attempts</Title>
      {attempts.length === 0 && <Text c="dimmed">No request was sent yet.</Text>}
      {attempts.toReversed().map((attempt) => (
        <AttemptView key={attempt.number} attempt={attempt} body={body} />
      ))}
      <VerifySection callout={callout} />
    </Page>
  );
}
