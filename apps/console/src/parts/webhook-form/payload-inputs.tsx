import { NativeSelect, PasswordInput, Switch } from '@mantine/core';
import { errorsAt } from '../form/form.ts';
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

type AlertFormat = NonNullable<WebhookSettings['alertFormat']>;

/** Who reads the callouts of a webhook on webhook health. */
const readers: Readonly<Record<AlertFormat, string>> = {
  json: 'A program: JSON',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  pagerduty: 'PagerDuty',
};

const readerChoices = Object.entries(readers).map(([value, label]) => ({ value, label }));

/** Whether callouts are messages for a chat or a pager; nothing for webhooks that are not on webhook health. */
export function AlertInputs({ settings, set, error }: SettingsInputsProps) {
  if (settings.alertFormat === undefined) return null;
  return (
    <>
      <NativeSelect
        label="Who reads them"
        description="Messages for the incoming webhook of a chat, or alerts of a pager that recovery resolves"
        value={settings.alertFormat}
        onChange={(event) => set({ alertFormat: event.currentTarget.value as AlertFormat })}
        data={readerChoices}
        error={errorsAt(error, 'alertFormat')}
        maw={360}
      />
      {settings.alertFormat === 'pagerduty' && (
        <PasswordInput
          label="Integration key"
          description="Of a service of PagerDuty; it is stored encrypted and never shown"
          required
          autoComplete="off"
          maxLength={100}
          value={settings.alertRoutingKey ?? ''}
          onChange={(event) => set({ alertRoutingKey: event.currentTarget.value })}
          error={errorsAt(error, 'alertRoutingKey')}
          maw={360}
        />
      )}
    </>
  );
}

/** Whether the bodies of callouts have a format that can be chosen: messages for a service have its own. */
export const hasFormat = ({ alertFormat = 'json' }: WebhookSettings): boolean => alertFormat === 'json';

/** What the bodies of callouts look like. */
export function FormatInputs({ settings, set, error }: SettingsInputsProps) {
  return (
    <>
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
        label="Include the previous values of changed fields"
        checked={settings.includePreviousValues}
        onChange={(event) => set({ includePreviousValues: event.currentTarget.checked })}
      />
    </>
  );
}
