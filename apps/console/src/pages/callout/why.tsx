import { Alert, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type CalloutDetails, causeQuery } from './callout-query.ts';
import { Section } from '../../parts/page.tsx';
import { PageLink } from '../../parts/show/links.tsx';
import { RulesList } from '../../parts/show/rules-list.tsx';
import { Sentence, Time, WaitingSentence } from '../../parts/show/time.tsx';

/** Why the webhook got the callout, and why the callout waits or has ended. */
export function Why({ callout }: { readonly callout: CalloutDetails }) {
  const { state, waitsFor, cancelledBecause, mergedBecause, mergedInto, nextAttemptDateTime, attempts, pauses } =
    callout;
  const cause = useQuery(causeQuery(callout));
  const last = attempts.at(-1);
  const fired = [...(cause.data?.firedFields ?? []), ...(cause.data?.firedUserDefinedFields ?? [])];
  return (
    <Section title="Why">
      {waitsFor && (
        <Alert title="Why it is not delivered yet">
          <WaitingSentence waitsFor={waitsFor} nextAttemptDateTime={nextAttemptDateTime} />
          {waitsFor.cause && (
            <>
              {' '}
              <PageLink to={`/callouts/${waitsFor.cause.calloutID}`} underline="always">
                Open callout {waitsFor.cause.sequenceNumber}
              </PageLink>
            </>
          )}
        </Alert>
      )}
      {cancelledBecause && (
        <Alert color="gray" title="Why it was cancelled">
          <Sentence text={cancelledBecause.message} />
        </Alert>
      )}
      {mergedBecause !== null && (
        <Alert color="gray" title="Why it was not sent">
          {mergedBecause}{' '}
          {mergedInto && (
            <PageLink to={`/callouts/${mergedInto.id}`} underline="always">
              Open callout {mergedInto.sequenceNumber}
            </PageLink>
          )}
        </Alert>
      )}
      {state === 'failed' && last && (
        <Alert color="red" title={`Why it failed: ${callout.attemptsMade} attempts are used up`}>
          <Sentence text={last.failure ?? 'The receiver did not accept it.'} /> Redeliver it when the receiver is well.
        </Alert>
      )}
      {cause.data && (
        <Stack gap={4}>
          <Text>
            {cause.data.message}
            {fired.length > 0 && ` Watched and changed: ${fired.join(', ')}.`}
            {cause.data.hasConfigurationChanged === true && ' The webhook was changed since then.'}
          </Text>
          {cause.data.rules && <RulesList rules={cause.data.rules} />}
        </Stack>
      )}
      {callout.kind === 'test' && <Text>A test was requested. It is sent once and counts for nothing.</Text>}
      {callout.kind === 'deactivation' && (
        <Text>The webhook became inactive or was deleted, and its deactivation URL is notified.</Text>
      )}
      {pauses.length > 0 && (
        <List size="sm" spacing={2}>
          {pauses.map(({ changeDateTime, message }) => (
            <List.Item key={`${changeDateTime} ${message}`}>
              <Time value={changeDateTime} />: {message}
            </List.Item>
          ))}
        </List>
      )}
    </Section>
  );
}
