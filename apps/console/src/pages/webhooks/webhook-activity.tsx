import { Text } from '@mantine/core';
import type { Schemas } from '@callout/client';
import { Note } from '../../parts/show/fact.tsx';
import { shareText } from '../../parts/show/number-text.ts';
import { Sparkline } from '../../parts/show/sparkline.tsx';

interface ActivityProps {
  readonly activity: Schemas['WebhookActivity'];
}

/** The share of failed attempts of 24 hours. */
export function ErrorRate({ activity: { attempts, failedAttempts, errorRate } }: ActivityProps) {
  if (errorRate === null) {
    return <Text c="dimmed">–</Text>;
  }
  return (
    <div>
      <Text fw={failedAttempts > 0 ? 600 : 400} c={failedAttempts > 0 ? 'var(--console-bad)' : 'inherit'}>
        {shareText(errorRate)}
      </Text>
      <Note className="one-line">
        {failedAttempts.toLocaleString()} of {attempts.toLocaleString()}
      </Note>
    </div>
  );
}

/** The attempts of 24 hours, hour by hour. */
export function Activity({ activity: { attempts, failedAttempts, ...byHour } }: ActivityProps) {
  if (attempts === 0) {
    return (
      <Text c="dimmed" className="one-line">
        no attempts
      </Text>
    );
  }
  const label = `${attempts.toLocaleString()} attempts in 24 hours, ${failedAttempts.toLocaleString()} failed`;
  return <Sparkline counts={byHour.attemptsByHour} failed={byHour.failedAttemptsByHour} label={label} />;
}
