import { Checkbox, Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { errorsAt } from '../form/field-errors.ts';
import { Section } from '../section.tsx';
import type { WebhookSettings } from './webhook-draft.ts';

export interface SettingsInputsProps {
  readonly settings: WebhookSettings;
  readonly set: (change: Partial<WebhookSettings>) => void;
  /** The refusal of the API, whose sentences stand at the inputs that they are about. */
  readonly error: unknown;
}

type TextKey = 'name' | 'webhookUrl' | 'deactivationUrl' | 'notificationEmailAddress';

const textInput = ({ settings, set, error }: SettingsInputsProps, key: TextKey) => ({
  value: settings[key],
  error: errorsAt(error, key),
  onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
    set({ [key]: event.currentTarget.value }),
});

interface AddressInputsProps extends SettingsInputsProps {
  /** The URL was entered. */
  readonly onUrlLeft?: () => void;
}

/** What the webhook is called and where it leads. */
export function AddressInputs({ onUrlLeft, ...props }: AddressInputsProps) {
  return (
    <>
      <TextInput
        label="Name"
        description="Appears in the subject of mails about it"
        required
        maxLength={50}
        {...textInput(props, 'name')}
      />
      <TextInput
        label="URL"
        description="Callouts are sent here with POST; pull: keeps them until a program fetches them"
        required
        type="url"
        maxLength={500}
        {...textInput(props, 'webhookUrl')}
        onBlur={() => onUrlLeft?.()}
      />
      <TextInput
        label="Deactivation URL"
        description="Called when the webhook becomes inactive or is deleted; pull: lets a program fetch that call"
        required
        type="url"
        maxLength={500}
        {...textInput(props, 'deactivationUrl')}
      />
    </>
  );
}

const actions = [
  { key: 'isSubscribedToCreateEvents', label: 'Created records' },
  { key: 'isSubscribedToUpdateEvents', label: 'Changed fields' },
  { key: 'isSubscribedToDeleteEvents', label: 'Deleted records' },
] as const;

/** What makes a callout, fields apart. */
export function ActionInputs({ settings, set, error }: SettingsInputsProps) {
  return (
    <Checkbox.Group
      label="Send a callout for"
      value={actions.flatMap(({ key }) => (settings[key] ? [key] : []))}
      onChange={(chosen) =>
        set(Object.fromEntries(actions.map(({ key }) => [key, (chosen as readonly string[]).includes(key)])))
      }
      error={actions.map(({ key }) => errorsAt(error, key)).find((one) => one !== undefined)}
    >
      <Group mt={6}>
        {actions.map(({ key, label }) => (
          <Checkbox key={key} value={key} label={label} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

/** What a receiver gets that was away. */
export function MergeInput({ settings, set }: SettingsInputsProps) {
  return (
    <Switch
      label="Merge while waiting"
      description="Later changes of a record go into a callout that has not been tried: after an outage, one for each record"
      checked={settings.mergeWhileWaiting}
      onChange={(event) => set({ mergeWhileWaiting: event.currentTarget.checked })}
    />
  );
}

type LimitKey = 'maxCallsPerSecond' | 'maxConcurrentCalls';

/** How fast its receiver is called. */
export function RateInputs({ settings, set, error }: SettingsInputsProps) {
  const limit = (key: LimitKey) => ({
    placeholder: 'no limit',
    thousandSeparator: ',',
    value: settings[key] ?? '',
    onChange: (value: number | string) => set({ [key]: typeof value === 'number' ? value : null }),
    error: errorsAt(error, key),
  });
  return (
    <Section
      title="How fast its receiver is called"
      lead="Callouts beyond these limits wait, the longest due first. Without a limit, Callout adjusts to the receiver by itself."
    >
      <Group align="flex-start">
        <NumberInput
          label="Calls per second"
          description="0.1 to 1,000"
          decimalScale={3}
          {...limit('maxCallsPerSecond')}
        />
        <NumberInput
          label="Calls at once"
          description="1 to 200"
          allowDecimal={false}
          {...limit('maxConcurrentCalls')}
        />
      </Group>
    </Section>
  );
}

/** Who gets mail when something is wrong. */
export function MailInputs(props: SettingsInputsProps) {
  const { settings, set } = props;
  return (
    <Section title="Mail" lead="The owner of the webhook gets a mail when its receiver fails or it is deactivated.">
      <Stack>
        <TextInput
          label="Mail also to"
          placeholder="ops@example.com"
          type="email"
          maxLength={150}
          {...textInput(props, 'notificationEmailAddress')}
        />
        <Switch
          label="Mail when the hourly threshold holds callouts back"
          checked={settings.sendThresholdExceededNotification}
          onChange={(event) => set({ sendThresholdExceededNotification: event.currentTarget.checked })}
        />
      </Stack>
    </Section>
  );
}
