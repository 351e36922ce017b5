import type { Schemas } from '@callout/client';
import { Stack, Text } from '@mantine/core';
import { BodyView } from '../show/code.tsx';

interface ChangeResultProps {
  readonly result: Schemas['EventOutcome'];
  /** Whether a stored webhook is compared with the draft. */
  readonly isStored: boolean;
}

/** Which of the last events would make a callout, and the body of the newest. */
export default function ChangeResult({ result, isStored }: ChangeResultProps) {
  const { comparison, eventID, request } = result;
  if (comparison == null) return null;
  return (
    <Stack gap="xs" aria-live="polite">
      <Text>
        Of the last {comparison.events === 1 ? 'event' : `${comparison.events} events`}, {comparison.calloutsAfter}{' '}
        would make a callout.
        {isStored && ` As it is stored, ${comparison.calloutsBefore} do.`}
      </Text>
      {comparison.changes.slice(0, 20).map((change) => (
        <Text key={change.eventID}>
          {change.eventID} of record {change.recordID}:{' '}
          {change.getsCalloutAfter ? 'would make a callout' : 'would make none'}
        </Text>
      ))}
      {eventID !== null && (
        <>
          {isStored && (
            <BodyView text={comparison.bodyBefore ?? 'No callout'} label="The newest callout as it is stored" />
          )}
          <BodyView
            text={request?.body ?? 'No callout'}
            label={isStored ? 'The newest callout after the change' : 'The newest callout'}
          />
        </>
      )}
    </Stack>
  );
}
