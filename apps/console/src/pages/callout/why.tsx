import { Alert, Anchor, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Section } from '../../parts/section.tsx';
import { Sentence } from '../../parts/show/sentence.tsx';
import { Time } from '../../parts/show/time.tsx';
import { WaitingSentence } from '../../parts/show/waiting-sentence.tsx';
import { owedBecauseQuery, type CalloutDetails } from './callout-query.ts';

/** Why the webhook was owed the callout, and why it waits or ended as it did. */
export function Why({ callout }: { readonly callout: CalloutDetails }) {
  const { state, waitsFor, cancelledBecause, mergedBecause, mergedInto, nextAttemptDateTime, attempts, pauses } =
    callout;
  const owed = useQuery(owedBecauseQuery(callout));
  const last = attempts.at(-1);
  const fired = [...(owed.data?.firedFields ?? []), ...(owed.data?.firedUserDefinedFields ?? [])];
  return (
    <Section title="Why">
      {waitsFor && (
        <Alert title="Why it is not delivered yet">
          <WaitingSentence waitsFor={waitsFor} nextAttemptDateTime={nextAttemptDateTime} />
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
            <Anchor component={Link} size="sm" to={`/callouts/${mergedInto.id}`}>
              Open callout {mergedInto.sequenceNumber}
            </Anchor>
          )}
        </Alert>
      )}
      {state === 'failed' && last && (
        <Alert color="red" title={`Why it failed: ${callout.attemptsMade} attempts are used up`}>
          <Sentence text={last.failure ?? 'The receiver did not accept it.'} /> Redeliver it when the receiver is well.
        </Alert>
      )}
      {owed.data && (
        <Stack gap={4}>
          <Text size="sm">
            {owed.data.message}
            {fired.length > 0 && ` Watched and changed: ${fired.join(', ')}.`}
            {owed.data.hasConfigurationChanged === true && ' The webhook was changed since then.'}
          </Text>
          {owed.data.rules && (
            <List size="sm" spacing={2}>
              {owed.data.rules.map(({ rule, blocks, message }) => (
                <List.Item key={rule} icon={<span aria-hidden>{blocks ? '✕' : '✓'}</span>}>
                  {message}
                </List.Item>
              ))}
            </List>
          )}
        </Stack>
      )}
      {callout.kind === 'test' && <Text size="sm">A test was requested. It is sent once and counts for nothing.</Text>}
      {callout.kind === 'deactivation' && (
        <Text size="sm">The webhook became inactive or was deleted, and its deactivation URL is notified.</Text>
      )}
      {callout.kind === 'digest' && (
        <Text size="sm">A digest is due every hour or day. It says which callouts of the webhook were delivered.</Text>
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
