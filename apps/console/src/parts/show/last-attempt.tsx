import { Text } from '@mantine/core';
import type { Schemas } from '@callout/client';
import { durationText } from './number-text.ts';

type Attempt = Schemas['LastAttempt'];

const words: Partial<Record<NonNullable<Attempt['failureReason']>, string>> = {
  dnsFailed: 'not resolved',
  addressForbidden: 'address not allowed',
  connectFailed: 'no connection',
  tlsFailed: 'TLS failed',
  timeout: 'timed out',
  connectionLost: 'connection lost',
  invalidResponse: 'invalid response',
  invalidTarget: 'invalid URL',
  nacked: 'not accepted',
  leaseLapsed: 'not acknowledged',
  notFetched: 'not fetched',
};

/** The result of an attempt and how long it took, such as `503 in 120 ms`. */
export function LastAttempt({ attempt }: { readonly attempt: Attempt | null }) {
  if (attempt === null) return null;
  const { status, failureReason, durationMs } = attempt;
  const isGood = status !== null && status >= 200 && status <= 299;
  const result = status ?? (failureReason === null ? 'failed' : (words[failureReason] ?? 'failed'));
  return (
    <Text className="one-line">
      <Text span fw={isGood ? 400 : 600} c={isGood ? 'inherit' : 'var(--console-bad)'}>
        {result}
      </Text>{' '}
      <Text span c="dimmed">
        in {durationText(durationMs)}
      </Text>
    </Text>
  );
}
