import { Checkbox, Group, NumberInput, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { errorsAt, inputsOf } from '../form/form.ts';
import { Section } from '../page.tsx';
import type { WebhookSettings } from './webhook-draft.ts';

export interface SettingsInputsProps {
  readonly settings: WebhookSettings;
  readonly set: (change: Partial<WebhookSettings>) => void;
  /** The refusal of the API, whose sentences stand at the inputs that they are about. */
  readonly error: unknown;
}

export const settingsInput = ({ settings, set, error }: SettingsInputsProps) => inputsOf(settings, set, error);

interface AddressInputsProps extends SettingsInputsProps {
  /** The URL was entered. */
  readonly onUrlLeft?: () => void;
}

/** What the webhook is called and where it leads. */
export function AddressInputs({ onUrlLeft, ...props }: AddressInputsProps) {
  const input = settingsInput(props);
  return (
    <>
      <TextInput
        label="Name"
        description="Appears in the subject of mails about it"
        required
        maxLength={50}
        {...input.text('name')}
      />
      <TextInput
        label="URL"
        description="Callouts are sent here with POST; pull: keeps them until a program fetches them"
        required
        type="url"
        maxLength={500}
        {...input.text('webhookUrl')}
        onBlur={() => onUrlLeft?.()}
      />
      <TextInput
        label="Deactivation URL"
        description="Called when the webhook becomes inactive or is deleted; pull: lets a program fetch that call"
        required
        type="url"
        maxLength={500}
        {...input.text('deactivationUrl')}
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
    <>
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
      <Switch
        label="Merge while waiting"
        description="While a callout has not been tried, later changes of its record go into it: after an outage, the receiver gets one for each record"
        {...inputsOf(settings, set, error).check('mergeWhileWaiting')}
      />
    </>
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
          description="1 to 200 requests under way at a time"
          allowDecimal={false}
          {...limit('maxConcurrentCalls')}
        />
      </Group>
      <Switch
        label="Spread callouts near the hourly threshold"
        description="When three quarters of the threshold are used, the rest goes out evenly over the hour. Otherwise callouts go out until it is reached, and then wait"
        checked={settings.thresholdMode === 'spread'}
        onChange={(event) => set({ thresholdMode: event.currentTarget.checked ? 'spread' : 'hold' })}
      />
    </Section>
  );
}

/** Who gets mail when something is wrong. */
export function MailInputs(props: SettingsInputsProps) {
  const input = settingsInput(props);
  return (
    <Section title="Mail" lead="The owner of the webhook gets a mail when its receiver fails or it is deactivated.">
      <TextInput
        label="Mail also to"
        placeholder="ops@example.com"
        type="email"
        maxLength={150}
        {...input.text('notificationEmailAddress')}
      />
      <Switch
        label="Mail when the hourly threshold holds callouts back"
        {...input.check('sendThresholdExceededNotification')}
      />
    </Section>
  );
}

const digestPeriods = [
  { value: 'none', label: 'None' },
  { value: 'hour', label: 'Every hour' },
  { value: 'day', label: 'Every day' },
] as const;

/** How often the receiver is notified which callouts were delivered. */
export function DigestInput({ settings, set }: SettingsInputsProps) {
  return (
    <Section
      title="Digests"
      lead="A digest is one more callout. It says which callouts were delivered, so that the receiver can prove that none is missing."
    >
      <SegmentedControl
        aria-label="Digests"
        mr="auto"
        value={settings.digestEvery}
        onChange={(digestEvery) => set({ digestEvery })}
        data={[...digestPeriods]}
      />
    </Section>
  );
}
