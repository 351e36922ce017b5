import { ApiError } from '@callout/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import type { WebhookAddress } from '../../api/entities.ts';
import { webhookQuery } from '../../api/webhook.ts';
import { Note } from '../show/fact.tsx';

/** Why buttons that send something cannot be used. */
interface NotSendable {
  /** For each of these buttons. */
  readonly props: { readonly disabled: boolean; readonly 'aria-describedby': string | undefined };
  /** The reason, for a place beside them; null where there is none. */
  readonly note: ReactNode;
}

/**
 * Whether something can be sent to a webhook now. The API refuses tests, redeliveries and early attempts of one that is
 * inactive or deleted. While that is not known yet, the buttons can be used.
 */
export function useNotSendable(address: WebhookAddress): NotSendable {
  const { data, error } = useQuery(webhookQuery(address));
  const id = useId();
  const isDeleted = error instanceof ApiError && error.status === 404;
  if (!isDeleted && data?.isActive !== false) {
    return { props: { disabled: false, 'aria-describedby': undefined }, note: null };
  }
  const reason = isDeleted ? 'Not possible: the webhook was deleted' : 'Not while the webhook is inactive';
  return { props: { disabled: true, 'aria-describedby': id }, note: <Note id={id}>{reason}</Note> };
}
