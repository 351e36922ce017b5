import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { parametersOf } from '@callout/domain/operations/operation';
import { type OperationName, operations } from '@callout/domain/operations/operations';
import type { IssuedCredential, SignInLink, Values } from '../../../api/operator.ts';
import { useDraft } from '../../../parts/form/form.ts';
import { Dialog } from '../../../parts/window/dialog.tsx';
import { IssuedDialog } from '../tenant/issued-dialog.tsx';
import { LinkDialog } from '../tenant/link-dialog.tsx';
import { OperationFields } from './operation-fields.tsx';
import { type Answer, isShownOnce, useOperation } from './use-operation.ts';

interface OperationDialogProps {
  readonly name: OperationName;
  /** Parameters from the page, which nobody enters. */
  readonly preset?: Values;
  /** With what the inputs begin. */
  readonly begin?: Values;
  /** What people call the thing. */
  readonly called?: string;
  readonly onClose: () => void;
  readonly onDone?: (answer: Answer) => void;
}

const none: Values = {};

/**
 * The dialog of an operation, made from the description: the sentence, an input for each parameter, and what to
 * confirm.
 */
export function OperationDialog({ name, preset = none, begin = none, called, onClose, onDone }: OperationDialogProps) {
  const { summary, description, confirmation, typed, method } = operations[name];
  const [draft, set] = useDraft<Values>(begin);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const operation = useOperation(
    name,
    (answered) => {
      onDone?.(answered);
      if (isShownOnce(answered)) setAnswer(answered);
      else onClose();
    },
    true,
  );
  const entered = Object.fromEntries(
    Object.entries(parametersOf(operations[name])).filter(([one]) => !(one in preset) && one !== typed),
  );
  const isMissing = Object.entries(entered).some(([one, { isOptional, mayBeEmpty, kind }]) => {
    const value = draft[one] ?? '';
    return isOptional !== true && mayBeEmpty !== true && kind !== 'flag' && kind !== 'perHour' && value === '';
  });
  const isTyped = typed === undefined || (called === undefined ? draft[typed] !== undefined : draft[typed] === called);
  if (answer?.url !== undefined) return <LinkDialog title="The link" link={answer as SignInLink} onClose={onClose} />;
  if (answer !== null) return <IssuedDialog credential={answer as IssuedCredential} onClose={onClose} />;
  return (
    <Dialog
      title={summary}
      action={summary}
      isDangerous={confirmation !== undefined || method === 'DELETE'}
      isOpen
      onClose={onClose}
      isDisabled={isMissing || !isTyped}
      mutation={{ ...operation, mutate: () => operation.mutate({ ...sent(draft, entered), ...preset }) }}
    >
      <Text className="break-anywhere">{confirmation?.(called ?? 'What you choose') ?? description}</Text>
      <OperationFields parameters={entered} draft={{ ...draft, ...preset }} set={set} error={operation.error} />
      {typed !== undefined && (
        <TextInput
          label="Type its name to confirm"
          autoComplete="off"
          value={String(draft[typed] ?? '')}
          onChange={(event) => set({ [typed]: event.currentTarget.value })}
        />
      )}
    </Dialog>
  );
}

/** What is sent of a form: texts without blanks around them, numbers as numbers, and no empty input. */
function sent(draft: Values, parameters: Readonly<ReturnType<typeof parametersOf>>): Values {
  const all = Object.entries(draft).map(([name, value]) => {
    const { kind, mayBeEmpty } = parameters[name] ?? { kind: 'text' as const };
    if (typeof value !== 'string') return [name, value === null && kind !== 'perHour' ? undefined : value] as const;
    const text = kind === 'secret' ? value : value.trim();
    if (text === '') return [name, mayBeEmpty === true ? '' : undefined] as const;
    return [name, kind === 'whole' || kind === 'id' ? Number(text) : text] as const;
  });
  return Object.fromEntries(all) as Values;
}
