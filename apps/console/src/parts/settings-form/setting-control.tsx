import { NativeSelect, PasswordInput, Switch, TextInput } from '@mantine/core';
import type { Setting, SettingType } from '@callout/webhooks/settings/settings';
import { Suspense } from 'react';
import { errorsAt } from '../form/form.ts';
import { lazyPart } from '../lazy-part.tsx';
import { Reading } from '../loaded.tsx';
import type { WebhookSettings } from './form-settings.ts';

// The input of a number is large, and few webhooks have a limit.
const LimitControl = lazyPart(() => import('./limit-control.tsx'));

export interface SettingsProps {
  readonly settings: WebhookSettings;
  readonly set: (change: Partial<WebhookSettings>) => void;
  /** The refusal of the API, whose sentences stand at the inputs by key. */
  readonly error: unknown;
}

interface SettingControlProps extends SettingsProps {
  readonly setting: Setting;
  /** Whether the webhook is not stored yet. */
  readonly isNew: boolean;
}

/** The control of one setting, by the type of the values. */
export function SettingControl({ setting, settings, set, error, isNew }: SettingControlProps) {
  const { key, type, form } = setting;
  const value = settings[key as keyof WebhookSettings];
  const change = (changed: string | number | boolean | null) => set({ [key]: changed });
  const props = { label: form.label ?? form.name, description: form.help, error: errorsAt(error, key) };
  if (type.kind === 'boolean' || type.kind === 'flag') {
    return <Switch {...props} checked={value === true} onChange={(event) => change(event.currentTarget.checked)} />;
  }
  if (type.kind === 'choice') {
    return (
      <NativeSelect
        {...props}
        maw={360}
        description={form.choices?.[String(value)]?.help ?? form.help}
        value={String(value)}
        data={type.words.map((word) => ({ value: word, label: form.choices?.[word]?.label ?? word }))}
        onChange={(event) => change(event.currentTarget.value)}
      />
    );
  }
  if (type.kind === 'limit') {
    return (
      <Suspense fallback={<Reading label={props.label} />}>
        <LimitControl {...props} type={type} placeholder={form.placeholder} value={value} change={change} />
      </Suspense>
    );
  }
  if (type.kind === 'routingKey') {
    return (
      <PasswordInput
        {...props}
        maw={360}
        required
        autoComplete="off"
        maxLength={100}
        value={String(value ?? '')}
        onChange={(event) => change(event.currentTarget.value)}
      />
    );
  }
  return <TextControl {...props} setting={setting} isNew={isNew} value={String(value ?? '')} change={change} />;
}

interface TextControlProps {
  readonly setting: Setting;
  readonly label: string;
  readonly description: string | undefined;
  readonly error: string | undefined;
  readonly isNew: boolean;
  readonly value: string;
  readonly change: (value: string | null) => void;
}

/**
 * A line of text. A required setting may be left out of a new webhook where a placeholder says what is stored instead;
 * an empty input then shows no refusal.
 */
function TextControl({ setting, isNew, error, change, ...props }: TextControlProps) {
  const { type, form, requiredOf = [] } = setting;
  const isRequired = requiredOf.includes('replace') && !(isNew && form.placeholder !== undefined);
  return (
    <TextInput
      {...props}
      {...attributesOf(type)}
      placeholder={isNew || requiredOf.length === 0 ? form.placeholder : undefined}
      required={isRequired}
      error={isRequired || props.value !== '' ? error : undefined}
      onChange={({ currentTarget: { value } }) => change(value === '' && type.kind === 'mail' ? null : value)}
    />
  );
}

/** As long as the API takes a mail address. */
const mailLength = 150;

function attributesOf(type: SettingType) {
  if (type.kind === 'mail') return { type: 'email', maxLength: mailLength };
  if (type.kind === 'url') return { type: 'url', maxLength: type.length };
  return type.kind === 'text' ? { maxLength: type.length } : {};
}
