import { useMutation } from '@tanstack/react-query';
import { type OperationName, operations } from '@callout/domain/operations/operations';
import { operate, type Values } from '../../../api/operator.ts';
import { notify } from '../../../parts/notify.tsx';

/** What an operation may answer: the dialog shows secrets and links, which the API never shows again. */
export interface Answer {
  readonly id?: number;
  readonly secret?: string;
  readonly apiIntegrationCode?: string;
  readonly url?: string;
  readonly expiresDateTime?: string;
  readonly nextAfter?: number | null;
}

/** Whether an answer has a secret or a link. */
export const isShownOnce = ({ secret, apiIntegrationCode, expiresDateTime }: Answer): boolean =>
  secret !== undefined || apiIntegrationCode !== undefined || expiresDateTime !== undefined;

/**
 * An operation behind a button: the pages of operators are read again, and the sentence of the operation says the
 * result.
 */
export function useOperation(name: OperationName, onDone?: (answer: Answer) => void, isInDialog = false) {
  return useMutation({
    mutationFn: async (values: Values) => {
      let answer = await operate<Answer>(name, values);
      while (operations[name].isBatched === true && answer.nextAfter != null) {
        answer = await operate<Answer>(name, { ...values, after: answer.nextAfter });
      }
      return answer;
    },
    onSuccess(answer, values) {
      const message = operations[name].done?.(answer as never, String(values['name'] ?? 'The tenant'));
      if (message !== undefined && !isShownOnce(answer)) notify({ message });
      onDone?.(answer);
    },
    meta: { changes: ['operator'], notifiesRefusal: !isInDialog },
  });
}
