import { type MutationMeta, useQuery } from '@tanstack/react-query';
import type { WebhookAddress } from '../../api/entities.ts';
import { keyOf } from '../../api/webhook.ts';
import { type OfVersion, useVersionedWrite } from '../versions/use-versioned-write.ts';
import { storedWebhookQuery } from '../webhook-form/stored-webhook-query.ts';
import { meetingsOf } from './meetings.ts';
import { MeetingsOfWebhook } from './meetings-of-webhook.tsx';

interface WebhookWrite<Result> {
  readonly onSuccess?: (result: Result) => unknown;
  readonly meta?: MutationMeta;
}

/**
 * Writes a webhook at once, without a form, in the version that the page shows.
 * @returns how to write, and, after a refusal, what others have changed.
 */
export function useWebhookWrite<Result, Input = void>(
  address: WebhookAddress,
  write: (header: OfVersion, input: Input) => Promise<Result>,
  { onSuccess, meta = {} }: WebhookWrite<Result> = {},
) {
  const { data } = useQuery(storedWebhookQuery(address));
  const changes = keyOf(address);
  const { was, ...state } = useVersionedWrite({ knownVersion: data, present: data, write, changes, onSuccess, meta });
  const meetings = was && data && meetingsOf(was.draft, data.draft, data.draft);
  const isPending = state.isPending || data === undefined;
  return { ...state, isPending, met: meetings && <MeetingsOfWebhook entity={address.entity} meetings={meetings} /> };
}
