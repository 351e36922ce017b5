import { NativeSelect, Stack, Switch } from '@mantine/core';
import { errorsAt } from '../form/field-errors.ts';
import type { SettingsInputsProps } from './settings-inputs.tsx';
import type { WebhookSettings } from './webhook-draft.ts';

type PayloadFormat = WebhookSettings['payloadFormat'];

/** What each format is for. */
const formats: Readonly<Record<PayloadFormat, { readonly label: string; readonly sentence: string }>> = {
  reference: {
    label: 'Reference',
    sentence:
      'Every value is text, under the name of the field with a capital first letter. What existing receivers read.',
  },
  typed: {
    label: 'Typed',
    sentence: 'Numbers, booleans and null are JSON, and picklists have their labels. The simplest for a new receiver.',
  },
  cloudevents: {
    label: 'CloudEvents',
    sentence: 'A CloudEvent 1.0 with the typed data inside, for event buses and functions that understand it.',
  },
};

const choices = Object.entries(formats).map(([value, { label }]) => ({ value, label }));

/** What the bodies of callouts look like. */
export function PayloadInputs({ settings, set, error }: SettingsInputsProps) {
  return (
    <Stack>
      <NativeSelect
        label="Format"
        description={formats[settings.payloadFormat].sentence}
        value={settings.payloadFormat}
        onChange={(event) => set({ payloadFormat: event.currentTarget.value as PayloadFormat })}
        data={choices}
        error={errorsAt(error, 'payloadFormat')}
        maw={360}
      />
      <Switch
        label="Say also what changed fields were before"
        checked={settings.includePreviousValues}
        onChange={(event) => set({ includePreviousValues: event.currentTarget.checked })}
      />
    </Stack>
  );
}
